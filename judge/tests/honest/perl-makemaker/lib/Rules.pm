package Rules;
use strict;
use warnings;
use Exporter "import";
our $VERSION = "1.0";
our @EXPORT = ("first");

sub first { return $_[0][0] }

1;
