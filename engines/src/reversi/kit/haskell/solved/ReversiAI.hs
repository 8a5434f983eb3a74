module ReversiAI (State, author, nickname, initial, think) where

import qualified Data.Map as Map
import Reversi

{- Plays the first field that is allowed. -}

-- | The fields that are marked, by column and row.
type Board = Map.Map (Int, Int) Player

-- | The own colour, and the board after the own last move.
data State = State Player Board

author :: String
author = "Your Name"

nickname :: String
nickname = "your-nickname"

initial :: Player -> State
initial me = State me (Map.fromList start)
  where
    start = [((4, 3), Black), ((3, 4), Black), ((3, 3), White), ((4, 4), White)]

think :: State -> Move -> Double -> (Move, State)
think (State me before) theirs _ = (mine, State me (play me mine board))
  where
    board = play (opponent me) theirs before
    -- Begin here: the first field is seldom the best one.
    mine = case filter (not . null . flips me board) [0 .. 63] of
      field : _ -> Move field
      [] -> Pass

opponent :: Player -> Player
opponent Black = White
opponent White = Black

play :: Player -> Move -> Board -> Board
play _ Pass board = board
play me (Move field) board = foldr (`Map.insert` me) board (place field : flips me board field)

place :: Int -> (Int, Int)
place field = (field `mod` 8, field `div` 8)

-- | The fields that a move turns: none where it is not allowed.
flips :: Player -> Board -> Int -> [(Int, Int)]
flips me board field
  | place field `Map.member` board = []
  | otherwise = concatMap line [(dx, dy) | dx <- [-1, 0, 1], dy <- [-1, 0, 1], (dx, dy) /= (0, 0)]
  where
    line (dx, dy) = walk (step (place field))
      where
        step (x, y) = (x + dx, y + dy)
        walk at = case span (isTheirs . (`Map.lookup` board)) (iterate step at) of
          (run, end : _) | Map.lookup end board == Just me -> run
          _ -> []
    isTheirs = (== Just (opponent me))
