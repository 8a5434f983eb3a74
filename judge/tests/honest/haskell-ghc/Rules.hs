module Rules (first) where

import Data.List (isPrefixOf, tails)

first :: String -> Char
first line = head [rest !! 9 | rest <- tails line, "\"legal\":[" `isPrefixOf` rest]
