use Test::More tests => 1;
use Rules;
is(first([4, 5]), 4);
