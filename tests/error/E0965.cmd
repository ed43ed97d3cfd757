$ XDG_STATE_HOME= HOME= hlc machine
hlc: error[E0965]: the figures of this machine have no place: neither XDG_STATE_HOME nor HOME is an absolute path
      = help: name a file: hlc machine -o FILE, and hlc schedule --machine=FILE
$ XDG_STATE_HOME=$PWD/state hlc machine --kept
