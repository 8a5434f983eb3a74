{-# LANGUAGE PackageImports, Trustworthy #-}
-- | The library's module of this name, which has nothing unsafe in it, for Safe Haskell.
module Data.Array.ST
  ( module Arrays
  ) where

import "array" Data.Array.ST as Arrays
