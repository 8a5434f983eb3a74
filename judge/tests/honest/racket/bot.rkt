#lang racket/base
(require racket/string json)

(for ([line (in-lines)])
  (define message (string->jsexpr line))
  (cond [(hash-ref message 'turn #f)
         => (lambda (turn) (printf "{\"move\":~a}\n" (car (hash-ref turn 'legal))))]
        [(not (hash-ref message 'end #f)) (printf "{\"ready\":{\"legal_moves\":true}}\n")])
  (flush-output))
