// The networks of social links, which the page has from the server.
export const networks = [];

// networkOf returns the network of a link: the one that the person has chosen, or else that of its host.
export function networkOf({network, link}) {
	const called = name => networks.find(n => n.name === name);
	if (called(network)) return called(network);
	if (/^mailto:/i.test(link)) return called("email");
	if (/^tel:/i.test(link)) return called("phone");
	let host = "";
	try {
		host = new URL(link).hostname.toLowerCase();
	} catch {} // not typed to its end
	return networks.find(n => n.hosts.some(h => host === h || host.endsWith("." + h))) || called("website") || {title: "", path: "", hosts: []};
}
