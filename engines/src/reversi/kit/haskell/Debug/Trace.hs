{-# LANGUAGE PackageImports, Trustworthy #-}
-- | The library's module of this name, which writes to standard error only, for Safe Haskell.
module Debug.Trace
  ( trace, traceId, traceM, traceShow, traceShowId, traceShowM, traceStack
  ) where

import "base" Debug.Trace
