<?php
require __DIR__ . '/src/rules.php';

while (($line = fgets(STDIN)) !== false) {
    $message = json_decode($line, true);
    if (isset($message['turn'])) {
        echo json_encode(['move' => first($message['turn']['legal'])]), "\n";
    } elseif (!isset($message['end'])) {
        echo json_encode(['ready' => ['legal_moves' => true]]), "\n";
    }
}
