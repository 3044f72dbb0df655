// Browsers that know no modules come here: they get a plain sentence and nothing that would break.
document.getElementById('app').innerHTML =
  '<p class="plain">This browser is too old for this page. Please open the link in an up-to-date browser, for example on your phone.</p>';
