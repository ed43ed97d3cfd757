$ printf 'pipeline p(i: image<u8, 1>) -> out { fun out(x) = i(x); }\nschedule fast(n) for p { parallel(out.x, n); }\n' > open.hl; hlc lower open.hl --schedule=fast
hlc: error[E0839]: the schedule `fast` has a parameter `n` without a value
      = help: give it one, --schedule='fast(n = ..)', or a default; or write `schedule .. extends fast(n = ..)`
$ printf 'pipeline p(i: image<u8, 1>) -> out { fun out(x) = i(x); }\nschedule fast(n = 8) for p { parallel(out.x, n); }\n' > open.hl; hlc lower open.hl --schedule=fast
