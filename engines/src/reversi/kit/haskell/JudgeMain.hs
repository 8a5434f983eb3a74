-- The judge's main for Reversi: it turns the protocol's lines (protocol.md) into calls of your
-- ReversiAI. It is added when your submission is built; do not hand it in.
{-# LANGUAGE NoImplicitPrelude, PackageImports #-}
module Main (main) where

-- From the library, whatever modules lie beside ReversiAI.
import "base" Control.Exception (SomeException, evaluate, try)
import "base" Data.Char (isAscii, isControl, isDigit, isPrint)
import "base" Data.List (isPrefixOf, tails)
import "base" Prelude
import Reversi (Move (..), Player (..))
import qualified ReversiAI as AI
import "base" System.Environment (getArgs)
import "base" System.Exit (exitFailure)
import "base" System.IO

main :: IO ()
main = do
  arguments <- getArgs
  if arguments == ["--check"] then check else play (concat arguments) Nothing

-- | Answers one line after the other until the judge closes the stream. The nickname, as JSON,
-- is what the check has found when this was built: nothing of AI runs before its first charge.
play :: String -> Maybe AI.State -> IO ()
play name state = do
  over <- isEOF
  if over then return () else getLine >>= answer name state >>= play name

answer :: String -> Maybe AI.State -> String -> IO (Maybe AI.State)
answer name state line
  | message "hello" = say ("{\"ready\":{\"name\":" ++ name ++ "}}") >> return state
  | message "start" = do
      first <- evaluate (AI.initial colour)
      say "{\"ready\":{}}"
      return (Just first)
  | message "turn" = do
      let (move, next) = maybe (error "a turn before the start") think state
      -- All of it is computed before the answer, and so on the clock.
      text <- evaluate (forced (written move))
      state' <- evaluate next
      say ("{\"move\":" ++ text ++ "}")
      return (Just state')
  | otherwise = return state
  where
    message kind = ("{\"" ++ kind ++ "\"") `isPrefixOf` line
    colour = if "\"black\"" `isPrefixOf` after "\"role\":" line then Black else White
    think known = AI.think known theirs left
    theirs = readMove (after "\"last\":" (after "\"view\":" line))
    left = readSeconds clock
    clock = after "\"bank_us\":" (after "\"clock\":" line)

-- | The text behind the first occurrence of a key.
after :: String -> String -> String
after key text = case filter (key `isPrefixOf`) (tails text) of
  found : _ -> drop (length key) found
  [] -> ""

-- | The opponent's last move; a pass before there is any.
readMove :: String -> Move
readMove text = case span isDigit text of
  ([], _) -> Pass
  (digits, _) -> Move (read digits)

-- | Microseconds as seconds; unlimited where the judge says null.
readSeconds :: String -> Double
readSeconds text = case span isDigit text of
  ([], _) -> 1 / 0
  (digits, _) -> read digits / 1e6

written :: Move -> String
written Pass = "\"pass\""
written (Move field) = show field

forced :: String -> String
forced text = foldr seq text text

quote :: String -> String
quote text = "\"" ++ concatMap escaped (take 100 text) ++ "\""
  where
    escaped c
      | c `elem` "\"\\" = ['\\', c]
      | isControl c = "?"
      | otherwise = [c]

say :: String -> IO ()
say line = putStrLn line >> hFlush stdout

-- | Checks what the compiler cannot see: writes author and nickname, or says in the last line
-- what is wrong.
check :: IO ()
check = do
  hSetEncoding stdout utf8
  result <- try (evaluate (forced (take 1000 AI.author) `seq` complaint AI.nickname))
  case result of
    Right Nothing -> do
      putStrLn ("author: " ++ quote AI.author)
      putStrLn ("nickname: " ++ quote AI.nickname)
    Right (Just words') -> putStrLn words' >> exitFailure
    Left failure -> do
      print (failure :: SomeException)
      putStrLn "author or nickname raises an exception; replace undefined by a text"
      exitFailure

complaint :: String -> Maybe String
complaint name
  | all (== ' ') shown = Just "nickname is empty; it takes 1 to 20 ASCII characters"
  | not (all isAscii shown) = Just ("nickname " ++ show shown ++ " has characters outside ASCII; " ++ limit)
  | not (all isPrint shown) = Just ("nickname " ++ show shown ++ " has characters that cannot be seen; " ++ limit)
  | length shown > 20 = Just ("nickname " ++ show (take 20 name) ++ "... is too long; " ++ limit)
  | otherwise = Nothing
  where
    shown = take 21 name
    limit = "at most 20 ASCII characters are allowed"
