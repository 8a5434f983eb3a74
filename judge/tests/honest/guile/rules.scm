(define-module (rules) #:export (first-move))

(define (first-move line)
  (string-ref line (+ 9 (string-contains line "\"legal\":["))))
