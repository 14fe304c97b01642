<?php
// Calls the service with PHP's extension xmlrpc, or with the IXR client of WordPress. Arguments: the URL, a key of the
// level full and, for IXR, the file class-IXR.php.
[, $url, $key] = $argv;
error_reporting(E_ALL & ~E_DEPRECATED);

function call_extension(string $method, array $params) {
    global $url;
    $options = ['method' => 'POST', 'header' => 'Content-Type: text/xml', 'ignore_errors' => true,
        'content' => xmlrpc_encode_request($method, $params, ['encoding' => 'UTF-8', 'escaping' => 'markup'])];
    $result = xmlrpc_decode(file_get_contents($url, false, stream_context_create(['http' => $options])), 'UTF-8');
    return is_array($result) && xmlrpc_is_fault($result) ? $result['faultCode'] : $result;
}

function call_ixr(string $method, array $params) {
    global $url;
    $client = new IXR_Client($url);
    return $client->query($method, ...$params) ? $client->getResponse() : $client->getErrorCode();
}

if (isset($argv[3])) {
    define('ABSPATH', dirname($argv[3], 2) . '/');
    define('WPINC', basename(dirname($argv[3])));
    function apply_filters(string $name, $value) { return $value; } // of WordPress
    require $argv[3];
}
$call = isset($argv[3]) ? 'call_ixr' : 'call_extension';

function check($got, $want): void {
    if ($got !== $want) {
        echo 'got ', var_export($got, true), ', want ', var_export($want, true), "\n";
        exit(1);
    }
}

$list = $call('addList', [$key, ['name' => 'PHP']]);
$call('addField', [$key, $list, ['name' => 'Balance', 'type' => 'decimal']]);
$contact = $call('subscribeContact', [$key, $list, ['Email' => 'zoë@example.com', 'Balance' => 5000000000.5], '', '', []]);
check($call('searchContacts', [$key, $list, [['Email', 'exactly', 'zoë@example.com']], 1, 0, '', '',
    ['id', 'Email', 'Balance', 'Mobile Phone', 'is_active']]),
    [['id' => $contact, 'Email' => 'zoë@example.com', 'Balance' => 5000000000.5, 'Mobile Phone' => '', 'is_active' => true]]);
check($call('addContacts', [$key, $list, [['Email' => 'a@example.com'], ['Email' => 'b@example.com']]]),
    [$contact + 1, $contact + 2]);
check($call('searchLists', [$key, [['name', 'exactly', 'nothing']]]), []);
check($call('searchFields', [$key, 99]), 303);
check($call('searchFields', ['wrong', 1]), 300);
check($call('noSuchMethod', [$key]), 104);
echo "good\n";
