$ echo 'issue four' > mine; hlc schedule examples/blur.hl --machine=mine
hlc: error[E0963]: mine, line 1: `issue` has no number
      = help: `hlc machine` writes such a file; docs/autoscheduler.md has the figures
$ echo 'issue 4' > mine; hlc schedule examples/blur.hl --machine=mine
