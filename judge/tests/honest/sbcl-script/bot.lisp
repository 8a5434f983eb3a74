(defun starts (prefix line) (eql 0 (search prefix line)))

(defun main ()
  (loop for line = (read-line *standard-input* nil)
        while line
        do (cond ((starts "{\"turn\"" line)
                  (format t "{\"move\":~a}~%" (char line (+ 9 (search "\"legal\":[" line)))))
                 ((not (starts "{\"end\"" line))
                  (format t "{\"ready\":{\"legal_moves\":true}}~%")))
           (finish-output)))

(main)
