use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/lib";
use Rules;

$| = 1;
while (<STDIN>) {
    my $message = decode_json($_);
    if ($message->{turn}) {
        print encode_json({ move => first($message->{turn}{legal}) }), "\n";
    } elsif (!$message->{end}) {
        print encode_json({ ready => { legal_moves => JSON::PP::true } }), "\n";
    }
}
