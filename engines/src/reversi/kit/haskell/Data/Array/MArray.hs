{-# LANGUAGE PackageImports, Trustworthy #-}
-- | The library's module of this name, which has nothing unsafe in it, for Safe Haskell.
module Data.Array.MArray
  ( module Arrays
  ) where

import "array" Data.Array.MArray as Arrays
