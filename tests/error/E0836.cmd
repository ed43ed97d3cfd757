$ hlc rules mod_mood
hlc: error[E0836]: there is no rule mod_mood
      = help: did you mean `mod_mod`?
$ hlc rules mod_mod
