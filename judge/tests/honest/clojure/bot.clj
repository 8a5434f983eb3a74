(require '[clojure.string :as string])

(doseq [line (line-seq (java.io.BufferedReader. *in*))]
  (cond (string/starts-with? line "{\"turn\"")
        (println (str "{\"move\":" (second (re-find #"\"legal\":\[(\d+)" line)) "}"))
        (not (string/starts-with? line "{\"end\""))
        (println "{\"ready\":{\"legal_moves\":true}}")))
