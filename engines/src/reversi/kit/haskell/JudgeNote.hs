{-# LANGUAGE NoImplicitPrelude, PackageImports, Trustworthy #-}
-- | Your AI's words to you with its move: a line of text and marks on fields. You and the staff
-- see them beside the replay, nobody else does. Like Debug.Trace, each function says something when
-- its last argument is computed, and returns that. It is added when your submission is built; do
-- not hand it in.
module JudgeNote (note, mark, shade, takeSaid) where

import "base" Control.Monad (unless)
import "base" Data.Char (ord)
import "base" Data.IORef
import "base" Data.List (intercalate)
import "base" Numeric (showFFloat, showHex)
import "base" Prelude
import "base" System.IO.Unsafe (unsafePerformIO)

-- | The lines and the marks, the last one first.
said :: IORef ([String], [String])
said = unsafePerformIO (newIORef ([], []))
{-# NOINLINE said #-}

-- | Says a line; a second one comes behind the first.
note :: String -> a -> a
note line value = unsafePerformIO $ do
  (texts, marks) <- readIORef said
  let text = take 1024 line
  unless (length texts >= 16) (forced text `seq` writeIORef said (text : texts, marks))
  return value
{-# NOINLINE note #-}

-- | Marks a field, 0 to 63, with a short label.
mark :: Int -> String -> a -> a
mark field label = add field (",\"label\":" ++ quoted (take 16 label))

-- | Marks a field, 0 to 63, as strongly as this says, from 0 to 1.
shade :: Int -> Double -> a -> a
shade field strength = add field (",\"strength\":" ++ showFFloat (Just 2) fit "")
  where fit = if strength >= 0 && strength <= 1 then strength else 2

add :: Int -> String -> a -> a
add field rest value = unsafePerformIO $ do
  (texts, marks) <- readIORef said
  let text = "{\"at\":" ++ show field ++ rest ++ "}"
  unless (length marks >= 256) (forced text `seq` writeIORef said (texts, text : marks))
  return value
{-# NOINLINE add #-}

-- | For the kit: takes what was said, as the keys that follow the move.
takeSaid :: IO String
takeSaid = do
  (texts, marks) <- readIORef said
  writeIORef said ([], [])
  let text = if null texts then "" else ",\"note\":" ++ quoted (unwords (reverse texts))
      all' = if null marks then "" else ",\"marks\":[" ++ intercalate "," (reverse marks) ++ "]"
  return (text ++ all')

forced :: String -> String
forced text = foldr seq text text

-- | Writes a text as JSON in ASCII.
quoted :: String -> String
quoted text = "\"" ++ concatMap escaped text ++ "\""
  where
    escaped c
      | c `elem` "\"\\" = ['\\', c]
      | c >= ' ' && c <= '~' = [c]
      | ord c < 0x10000 = unit (ord c)
      | otherwise =
          let above = ord c - 0x10000
          in unit (0xd800 + above `div` 0x400) ++ unit (0xdc00 + above `mod` 0x400)
    unit number = "\\u" ++ reverse (take 4 (reverse (showHex number "") ++ repeat '0'))
