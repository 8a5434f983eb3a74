/^{"turn"/ { match($0, /"legal":\[([0-9]+)/, move); print "{\"move\":" move[1] "}"; fflush(); next }
!/^{"end"/ { print "{\"ready\":{\"legal_moves\":true}}"; fflush() }
