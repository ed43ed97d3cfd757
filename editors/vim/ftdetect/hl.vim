autocmd BufNewFile,BufRead *.hl setfiletype hl
autocmd FileType hl setlocal commentstring=//\ %s shiftwidth=4 softtabstop=4 expandtab
