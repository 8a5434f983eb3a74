{-# LANGUAGE PackageImports, Trustworthy #-}
-- | The library's module of this name, without what is unsafe in it, for Safe Haskell.
module GHC.Exts
  ( Down (..), IsList (..), IsString (..), groupWith, inline, lazy, sortWith, the
  ) where

import "base" GHC.Exts
