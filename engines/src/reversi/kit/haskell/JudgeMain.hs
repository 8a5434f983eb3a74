-- The judge's main for Reversi: it turns the protocol's lines (protocol.md) into calls of your
-- ReversiAI. It is added when your submission is built; do not hand it in.
{-# LANGUAGE NoImplicitPrelude, PackageImports #-}
module Main (main) where

-- From the library, whatever modules lie beside ReversiAI.
import "base" Control.Exception (SomeException, evaluate, try)
import "base" Data.Char (isAscii, isControl, isDigit, isPrint)
import "base" Prelude
import JudgeNote (takeSaid)
import Reversi (Move (..), Player (..))
import qualified ReversiAI as AI
import "base" System.Environment (getArgs)
import "base" System.Exit (ExitCode (ExitFailure), exitFailure, exitWith)
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
answer name state line = do
  (kind, content) <- known (message line)
  case (kind, state) of
    ("hello", _) -> say ("{\"ready\":{\"name\":" ++ name ++ "}}") >> return state
    ("start", _) -> do
      colour <- known (field "role" content >>= readColour)
      first <- evaluate (AI.initial colour)
      say "{\"ready\":{}}"
      return (Just first)
    ("turn", Just before) -> do
      theirs <- known (field "view" content >>= field "last" >>= readMove)
      left <- known (field "clock" content >>= field "bank_us" >>= readSeconds)
      let (move, next) = AI.think before theirs left
      -- All of it is computed before the answer, and so on the clock.
      text <- evaluate (forced (written move))
      state' <- evaluate next
      said <- takeSaid
      say ("{\"move\":" ++ text ++ said ++ "}")
      return (Just state')
    ("turn", Nothing) -> refuse "which comes before a start"
    ("end", _) -> return state
    _ -> refuse "whose message has no known name"
  where
    known = either refuse return
    -- Ends the program at a line that is not as protocol.md has it, and shows the line to the
    -- author.
    refuse why = do
      hPutStrLn stderr ("the kit cannot read this line, " ++ why ++ ": " ++ line)
      exitWith (ExitFailure 2)

-- | A value of JSON; of a text what is between the quotes, as it was written.
data Json = Word String | Text String | List [Json] | Object [(String, Json)]

-- | What is read from the beginning of a text, and the rest; or why it cannot be read.
type Reader a = String -> Either String (a, String)

-- | A message's name and content.
message :: String -> Either String (String, Json)
message line = do
  (found, rest) <- value line
  case (found, blanksOff rest) of
    (Object [named], "") -> Right named
    _ -> Left "which is no message"

value :: Reader Json
value text = case blanksOff text of
  '{' : rest -> as Object (items '}' member rest)
  '[' : rest -> as List (items ']' value rest)
  '"' : rest -> as Text (quoted rest)
  rest -> case break (`elem` " \t\r\n,]}") rest of
    ("", _) -> Left "in which a value is missing"
    (letters, others) -> Right (Word letters, others)
  where
    as make = fmap (\(found, rest) -> (make found, rest))

member :: Reader (String, Json)
member text = do
  (key, behind) <- expect '"' text >>= quoted
  (found, rest) <- expect ':' behind >>= value
  return ((key, found), rest)

-- | The items of a list or an object, behind its first bracket.
items :: Char -> Reader a -> Reader [a]
items close item text = case blanksOff text of
  c : rest | c == close -> Right ([], rest)
  _ -> more text
  where
    more from = do
      (found, behind) <- item from
      case blanksOff behind of
        ',' : next -> do
          (others, rest) <- more next
          return (found : others, rest)
        next -> do
          rest <- expect close next
          return ([found], rest)

-- | A text behind its first quote.
quoted :: Reader String
quoted text = case break (`elem` "\"\\") text of
  (shown, '"' : rest) -> Right (shown, rest)
  (shown, '\\' : c : rest) -> do
    (others, end) <- quoted rest
    return (shown ++ '\\' : c : others, end)
  _ -> Left "in which a text does not end"

expect :: Char -> String -> Either String String
expect wanted text = case blanksOff text of
  c : rest | c == wanted -> Right rest
  _ -> Left ("in which a " ++ [wanted] ++ " is missing")

blanksOff :: String -> String
blanksOff = dropWhile (`elem` " \t\r\n")

field :: String -> Json -> Either String Json
field name (Object fields) | Just found <- lookup name fields = Right found
field name _ = Left ("which lacks " ++ name)

readColour :: Json -> Either String Player
readColour (Text "black") = Right Black
readColour (Text "white") = Right White
readColour _ = Left "whose role is neither black nor white"

-- | The opponent's last move; a pass before there is any.
readMove :: Json -> Either String Move
readMove (Word "null") = Right Pass
readMove (Text "pass") = Right Pass
readMove (Word digits) | all isDigit digits = Right (Move (read digits))
readMove _ = Left "whose last move is none"

-- | Microseconds as seconds; unlimited where the judge says null.
readSeconds :: Json -> Either String Double
readSeconds (Word "null") = Right (1 / 0)
readSeconds (Word digits) | all isDigit digits = Right (read digits / 1e6)
readSeconds _ = Left "whose bank_us is no time"

written :: Move -> String
written Pass = "\"pass\""
written (Move place) = show place

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
  | not (all isAscii shown) = Just ("nickname " ++ show shown ++ " has characters outside ASCII; " ++ limit)
  | not (all isPrint shown) = Just ("nickname " ++ show shown ++ " has characters that cannot be seen; " ++ limit)
  | length shown > 20 = Just ("nickname " ++ show (take 20 name) ++ "... is too long; " ++ limit)
  | otherwise = Nothing
  where
    shown = take 21 name
    limit = "at most 20 ASCII characters are allowed"
