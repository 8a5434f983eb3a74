(load "bot.lisp")
(sb-ext:save-lisp-and-die "bot" :toplevel (function main) :executable t :save-runtime-options t)
