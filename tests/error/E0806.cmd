$ printf 'let two = 2;' > lets.hl; hlc lower lets.hl
hlc: error[E0806]: the file has no pipeline
      = help: a file of schedules imports the file of their pipeline
$ hlc lower examples/blur.hl
