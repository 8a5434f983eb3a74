{-# LANGUAGE PackageImports, Trustworthy #-}
-- | The library's module of this name, without what is unsafe in it, for Safe Haskell.
module GHC.Base
  ( Alternative (..), Int (..), MonadPlus (..), NonEmpty (..), ap, divInt, join, liftA, liftA2,
    liftA3, liftM, liftM2, modInt, ord, quotInt, remInt, when
  ) where

import "base" GHC.Base
