<?php
// Receives webhooks: verifies, drops repeats, answers at once, then works. PHP's own library only.
declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/** The event. Throws when it is not genuine or too old. */
function verifyWebhook(string $body, array $headers, string $secret, int $now): array
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if ($id === '' || !ctype_digit($timestamp)) {
        throw new InvalidArgumentException('webhook-id or webhook-timestamp is missing');
    }
    if (abs($now - (int) $timestamp) > TOLERANCE_SECONDS) {
        throw new InvalidArgumentException('webhook-timestamp is more than five minutes away');
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        }
    }
    throw new InvalidArgumentException('no signature fits');
}

$headers = array_change_key_case(getallheaders(), CASE_LOWER);
try {
    $event = verifyWebhook(file_get_contents('php://input'), $headers, getenv('WEBHOOK_SECRET'), time());
} catch (InvalidArgumentException) {
    http_response_code(400);
    return;
}
http_response_code(204);
// In a real receiver: a table with a unique column.
$seen = sys_get_temp_dir() . '/webhook-' . hash('sha256', $headers['webhook-id']);
$isNew = @fopen($seen, 'x');
if ($isNew !== false) {
    // types may be added
    $text = in_array($event['type'], ['search.hit', 'search.hit.changed'], true)
        ? $event['data']['fitScore'] . ' ' . $event['data']['tender']['title']
        : $event['type'];
    file_put_contents('php://stderr', $text . "\n");
}
