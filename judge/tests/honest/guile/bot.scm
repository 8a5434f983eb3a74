(use-modules (ice-9 rdelim) (rules))

(let loop ((line (read-line)))
  (unless (eof-object? line)
    (cond ((string-prefix? "{\"turn\"" line) (format #t "{\"move\":~a}\n" (first-move line)))
          ((not (string-prefix? "{\"end\"" line)) (display "{\"ready\":{\"legal_moves\":true}}\n")))
    (force-output)
    (loop (read-line))))
