/**
 * Shows the e-mail that the console sends. The policy of this page keeps scripts of the e-mail from running.
 */
addEventListener('message', ({ source, data }) => {
  if (source !== parent || typeof data !== 'string') return;
  const email = new DOMParser().parseFromString(data, 'text/html');
  document.documentElement.replaceWith(document.adoptNode(email.documentElement));
});
parent.postMessage('ready', '*');
