// Passkeys: fills an input of a form with what the browser says, and sends the form. The options are from the
// server (package users). Without this script, or in a browser without passkeys, the form stays hidden.
"use strict";
for (const form of document.querySelectorAll("form[data-passkey]")) {
	if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) break;
	form.hidden = false;
	form.addEventListener("submit", async event => {
		event.preventDefault();
		const problem = form.querySelector("[data-problem]");
		const answer = form.querySelector("[data-answer]");
		const options = JSON.parse(form.dataset.options);
		try {
			const credential = form.dataset.passkey === "make"
				? await navigator.credentials.create({publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options)})
				: await navigator.credentials.get({publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options)});
			const sent = document.querySelector("[data-sent]"); // a form that is sent again after the sign-in
			if (sent) form.append(sent);
			answer.value = JSON.stringify(credential.toJSON());
			form.submit();
			answer.value = ""; // the Back button must not send it again
		} catch {
			problem.hidden = false;
		}
	});
}
