<?php
// Tests enlist.php. Arguments: the URL, a key, the file, and the id, time, signature, body and secret of a webhook.
[, $url, $key, $file, $id, $time, $signature, $body, $secret] = $argv;
require $file;

function check(bool $condition, string $what): void {
    if (!$condition) {
        echo "failed: $what\n";
        exit(1);
    }
}

function code_of(callable $attempt): ?int {
    try {
        $attempt();
    } catch (EnlistError $error) {
        return $error->getCode();
    }
    return null;
}

$enlist = new Enlist($url, $key, 4, 60, 0.01);
$list = $enlist->addList(['name' => 'PHP']);
check($enlist->countLists([['name', 'exactly', 'PHP']]) === 1, 'a repeated call is executed once');
$enlist->addContacts($list, array_map(fn ($i) => ['Email' => "c$i@example.com"], range(0, 4)));
$found = [];
foreach ($enlist->all('searchContacts', $list, [], 2) as $contact) {
    $found[] = $contact['Email'];
}
check($found === array_map(fn ($i) => "c$i@example.com", range(0, 4)), json_encode($found));
check(code_of(fn () => $enlist->searchFields(99)) === 303, 'error 303');
$headers = ['webhook-id' => $id, 'webhook-timestamp' => $time, 'webhook-signature' => "v1,x $signature"];
check(Enlist::verifyWebhook($headers, $body, $secret)[0]['contact_id'] === 7, 'a webhook');
check(code_of(fn () => Enlist::verifyWebhook($headers, '[]', $secret)) === 0, 'a forged webhook');
check($enlist->getKeyInfo()['access_level'] === 'full', 'a call that was refused with 399 is sent again');
echo "good\n";
