# make        builds build/hlc, after installing what it needs
# make quick  runs a test or more of every folder: a minute on two processors
# make test   runs the tests, of those with very many cases a share: six minutes on two processors, once all is built;
#   ends with what they took (tests/times.py), and fails if that is too much
# make test-all  runs all cases of all tests, 10,000 times compiled, run and freed, and the tests of `make test` under the
#   sanitizers: some hours
# make exhaust  takes a night: all arguments of the mathematical functions; every site that asks for memory refused; 100,000
#   operators that are nearly associative, and updates that are nearly recognised; all cases under the sanitizers
# make install PREFIX=DIR  installs the command, the libraries and the headers
# make prove-rules  proves every rewrite rule again from nothing, and writes how
# make prove-operators  proves what is new in the table of associative operators
# make demo   runs nine pipelines on a photograph, and compares and times them
# make bench  times the kernels of bench/ beside Halide's, and beside the machine's limits; BENCH=blur those whose names begin so;
#   BENCH=random SEED=N fifty pipelines that a seed draws
# make fuzz-night SEED=N JOBS=N  fuzzes for a night: 50,000 cases compiled, 1,000,000 interpreted
# make coverage  says what share of lines and branches the tests run (about half an hour); COVERAGE_FLAGS=--lines which do not
BUILD ?= build
TYPE ?= RelWithDebInfo

# On a terminal ninja shows a line of progress.
all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) $(if $(MAKE_TERMOUT),,--quiet)

setup:
	@./setup.sh

$(BUILD)/build.ninja: setup.sh CMakeLists.txt
	@./setup.sh
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=$(TYPE) $(CMAKE_FLAGS) > $(BUILD).log 2>&1 \
	  || (cat $(BUILD).log; exit 1)
	@mkdir -p $(BUILD) && mv $(BUILD).log $(BUILD)/configure.log

# PREFIX says where to, DESTDIR (for packagers) what to put before it.
PREFIX ?= /usr/local
install: all
	@cmake --install $(BUILD) --prefix $(PREFIX) > $(BUILD)/install.log || (cat $(BUILD)/install.log; exit 1)

# The tiers are in tests/CMakeLists.txt; $(BUILD)/times/NAME says what a test took. The tests of aarch64 code need
# libraries; without them they are skipped.
TIER = test
quick: TIER = quick
quick test: all
	@[ $(TIER) = quick ] || [ -n "$(findstring SANITIZE,$(CMAKE_FLAGS))" ] || tests/target/arm64.sh $(BUILD)/arm64 || true
	@ctest --test-dir $(BUILD) --output-on-failure -j 2 -L '^$(TIER)$$'; code=$$?; tests/times.py $(BUILD) $(TIER) && exit $$code

# Every rewrite rule proved again from nothing by Z3, and the record of how.
prove-rules: all
	@rm -f $(BUILD)/rule_proofs.txt
	@BLESS=1 $(BUILD)/tests/unit_simplify_proof
	@$(MAKE) --no-print-directory all

test-all: all
	@$(MAKE) --no-print-directory test TIER=all
	@HLC_CYCLES=10000 $(LIMITED)_cycles 3600 $(BUILD)/tests/unit_library_flat
	@$(MAKE) --no-print-directory test $(SANITIZED)

exhaust: all
	@$(LIMITED)_ulp 30000 $(BUILD)/tests/ulp
	@HLC_EVERY_FAULT=1 $(LIMITED)_every_fault 36000 $(BUILD)/tests/unit_library_faults
	@HLC_NEAR_MISSES=100000 $(LIMITED)_near_misses 3000 $(BUILD)/tests/unit_operators
	@HLC_UPDATES=100000 CK_DEFAULT_TIMEOUT=1000 $(LIMITED)_updates 1000 $(BUILD)/tests/unit_associative_values
	@$(MAKE) --no-print-directory test TIER=all $(SANITIZED)
SANITIZED = BUILD=$(BUILD)-sanitize CMAKE_FLAGS=-DHLC_SANITIZE=ON
LIMITED = CK_TIMEOUT_MULTIPLIER=10 $(BUILD)/tests/limited $(BUILD)/times/all

# Another SEED is another night; failing cases and counts are in $(BUILD)/fuzz.
SEED ?= 1
JOBS ?= $(shell nproc)
fuzz-night: all
	@mkdir -p $(BUILD)/fuzz
	@nice $(BUILD)/hlc fuzz --seed=$(SEED)000000 --cases=50000 --jobs=$(JOBS) --folder=$(BUILD)/fuzz \
	  | tee $(BUILD)/fuzz/compiled.log
	@nice $(BUILD)/hlc fuzz --seed=$(SEED)000000 --cases=1000000 --jobs=$(JOBS) --interpreters --folder=$(BUILD)/fuzz \
	  | tee $(BUILD)/fuzz/interpreted.log
	@tail -qn 1 $(BUILD)/fuzz/*.log
	@! grep -q "^seed " $(BUILD)/fuzz/*.log

# Tests of what is not counted are left out: rules, code generation, pictures, other tools.
COVERAGE_EXCLUDES = simplify_|operators|target_|demo|install|readme|completion|editors|halide|codegen|image|pictures|sanitize
coverage:
	@$(MAKE) --no-print-directory all BUILD=$(BUILD)-coverage CMAKE_FLAGS=-DHLC_COVERAGE=ON
	@find $(BUILD)-coverage -name '*.gcda' -delete
	@GCOV_ERROR_FILE=$(abspath $(BUILD)-coverage)/gcov.log ctest --test-dir $(BUILD)-coverage -j 2 --timeout 1500 -L all -E "$(COVERAGE_EXCLUDES)" || true
	@tests/coverage.py . $(BUILD)-coverage $(COVERAGE_FLAGS)

# The table of associative operators: Z3 proves what associative/operators/proofs.txt does not have.
prove-operators: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet prove_operators
	@$(BUILD)/prove_operators associative/operators/proofs.txt associative/operators/*.rules

demo: all
	@examples/demo/demo.py . $(BUILD)

# Results are in bench/results.json; bench/draw.py draws them.
ifeq ($(BENCH),random)
bench: all
	@./setup.sh python3-halide python3-numpy
	@bench/random/run.py . $(BUILD) $(SEED)
else
bench: $(BUILD)/build.ninja
	@./setup.sh libhalide14-0-dev libopenblas-dev
	@cmake -S . -B $(BUILD) -DHLC_BENCH=ON > $(BUILD)/bench.log || (cat $(BUILD)/bench.log; exit 1)
	@ninja -C $(BUILD) --quiet hlc bench_ours bench_halide bench_limits
	@bench/bench.py . $(BUILD) $(BENCH)
endif

clean:
	rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-coverage

.PHONY: all setup quick test test-all exhaust fuzz-night prove-rules prove-operators coverage install clean demo bench
