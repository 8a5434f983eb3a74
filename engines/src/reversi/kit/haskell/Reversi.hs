{-# LANGUAGE Safe #-}
-- | The types that the course text gives.
module Reversi (Player (..), Move (..)) where

data Player = Black | White
  deriving (Eq, Show)

-- | A field, 0 to 63 from the upper left, row by row, or no move.
data Move = Pass | Move Int
  deriving (Eq, Show)
