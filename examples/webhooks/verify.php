<?php
// php verify.php SECRET ID TIMESTAMP SIGNATURES < body; ends with 0 when the webhook is genuine.

const TOLERANCE_SECONDS = 300;

/** Whether laurel sent this body: the text of the request, unparsed. */
function verify(string $secret, string $id, string $timestamp, string $signatures, string $body): bool
{
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $key = base64_decode(str_replace('whsec_', '', $secret));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

[, $secret, $id, $timestamp, $signatures] = $argv;
exit(verify($secret, $id, $timestamp, $signatures, stream_get_contents(STDIN)) ? 0 : 1);
