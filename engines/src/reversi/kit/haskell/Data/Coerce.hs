{-# LANGUAGE PackageImports, Trustworthy #-}
-- | The library's module of this name, which has nothing unsafe in it, for Safe Haskell.
module Data.Coerce
  ( Coercible, coerce
  ) where

import "base" Data.Coerce
