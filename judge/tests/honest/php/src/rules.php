<?php
function first(array $moves): int
{
    return $moves[0];
}
