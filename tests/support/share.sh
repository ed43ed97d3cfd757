# share.sh -- HLC_SHARE=N in the environment: a test of very many cases runs one in N of them; read by `.`.  The tier
# `test` does so, the tier `all` runs them all (tests/CMakeLists.txt).
share=${HLC_SHARE:-1} turn=0

# left_out: is this case not in the share?  The first one is.
left_out() { [ $((turn++ % share)) -ne 0 ]; }
