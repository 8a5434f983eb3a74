module Main (main) where

import Rules (first)
import Data.List (isPrefixOf)
import System.IO

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  interact (unlines . concatMap answer . lines)
  where
    answer line
      | "{\"turn\"" `isPrefixOf` line = ["{\"move\":" ++ [first line] ++ "}"]
      | "{\"end\"" `isPrefixOf` line = []
      | otherwise = ["{\"ready\":{\"legal_moves\":true}}"]
