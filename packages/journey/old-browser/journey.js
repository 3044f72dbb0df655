// biome-ignore-all lint: browsers that know no modules know nothing newer than ECMAScript 5 either.
// biome-ignore-all format: a comma after the last argument is newer than that.
// Such browsers come here. They get plain pages that drive the same journey: consent, forms, photos from the device,
// waiting and the result. What needs more than that is told, and can be done with a phone or by a person.
(function () {
  'use strict';
  /** The rules shared with the app, which are put in front of this script when it is built. */
  var rules = window.groveRules;
  var TIMEOUT_MS = 120000;

  var root = document.getElementById('app');
  var page = { journey: null, instanceId: '', handoff: null, declined: false, language: 'en' };
  var words = { texts: {}, plurals: [], countries: [], faults: { card: {}, face: {} } };
  var asking;

  function parameter(name, search) {
    var found = new RegExp('[?&]' + name + '=([^&#]*)').exec(search);
    return found ? decodeURIComponent(found[1].replace(/\+/g, ' ')) : '';
  }

  /** The one-time code is in the fragment, after whatever a page of the tenant has there. */
  function fragment() {
    return '&' + location.hash.slice(1);
  }

  function linkLanguage() {
    return parameter('lang', location.search) || parameter('lang', fragment());
  }

  // ---- Words ----

  function languageOf(tag) {
    var primary = String(tag || '').toLowerCase().split(/[-_]/)[0];
    return rules.languages.indexOf(primary) < 0 ? rules.languageAliases[primary] || '' : primary;
  }

  function chooseLanguage(tenant) {
    return (
      languageOf(linkLanguage()) ||
      languageOf(tenant) ||
      languageOf(navigator.language || navigator.userLanguage) ||
      'en'
    );
  }

  /** The plural form of a whole number: beyond 199 the forms repeat by hundreds. */
  function formOf(number) {
    return words.plurals[number < 200 ? number : 100 + (number % 100)];
  }

  /** Fills in a message parsed at build time: 0 text, 1 value, 5 choice, 6 plural, 7 the number itself. */
  function fill(parts, values, number) {
    var text = '';
    for (var at = 0; at < parts.length; at++) {
      var part = parts[at];
      var value = values[part.value];
      if (part.type === 0) text += part.value;
      else if (part.type === 1) text += value;
      else if (part.type === 7) text += number;
      else {
        var options = part.options;
        var form = options['=' + value] || options[part.type === 6 ? formOf(value) : value] || options.other;
        text += fill(form.value, values, value);
      }
    }
    return text;
  }

  function t(key, values) {
    var own = page.journey && page.journey.texts && page.journey.texts[page.language];
    var message = own && own[key] !== undefined ? own[key] : words.texts[key];
    if (message === undefined) return key;
    return typeof message === 'string' ? message : fill(message, values || {}, 0);
  }

  // ---- The server ----

  /** Calls `done` with the status, or 0 without a response, and the body. */
  function ask(method, path, content, type, done) {
    var request = new XMLHttpRequest();
    var over = false;
    function end(status) {
      if (over) return;
      over = true;
      var answer = null;
      try {
        answer = JSON.parse(request.responseText);
      } catch (error) {
        // A response that is not JSON, such as that of a proxy, is judged by its status alone.
      }
      done(status, answer || {});
    }
    request.open(method, path, true);
    request.timeout = TIMEOUT_MS;
    if (type) request.setRequestHeader('Content-Type', type);
    request.onreadystatechange = function () {
      if (request.readyState === 4) end(request.status);
    };
    request.ontimeout = function () {
      end(0);
    };
    request.send(content);
  }

  function post(path, body, done) {
    ask('POST', path, JSON.stringify(body), 'application/json', done);
  }

  function base() {
    return '/api/journey/' + page.instanceId;
  }

  function isGood(status) {
    return status >= 200 && status < 300;
  }

  // ---- The page ----

  function element(name, attributes, children) {
    var made = document.createElement(name);
    for (var key in attributes) {
      if (key.indexOf('on') === 0) made[key] = attributes[key];
      else if (attributes[key] !== false && attributes[key] !== undefined) made.setAttribute(key, attributes[key]);
    }
    children = children === undefined ? [] : [].concat(children);
    for (var at = 0; at < children.length; at++) {
      if (!children[at]) continue;
      made.appendChild(typeof children[at] === 'string' ? document.createTextNode(children[at]) : children[at]);
    }
    return made;
  }

  function button(text, press, kind) {
    return element('button', { type: 'button', class: 'button' + (kind ? ' ' + kind : ''), onclick: press }, text);
  }

  function show(title, children) {
    clearTimeout(asking);
    var heading = element('h1', { tabindex: '-1' }, title);
    var tenant = page.journey ? page.journey.tenantName : '';
    root.innerHTML = '';
    root.appendChild(
      element('div', { class: 'shell' }, [
        element('header', {}, [
          element('div', { class: 'top' }, element('div', { class: 'brand' }, element('span', {}, tenant))),
          page.journey && page.journey.environment === 'test' ? element('p', { class: 'sandbox' }, t('sandbox')) : null,
        ]),
        element('main', { id: 'main' }, element('div', { class: 'view' }, [heading].concat(children))),
      ])
    );
    document.title = title;
    heading.focus();
  }

  function paragraph(text, kind) {
    return element('p', kind ? { class: kind } : {}, text);
  }

  function actions(children) {
    return element('div', { class: 'actions' }, children);
  }

  /** Shows a complaint on the present page, so that nothing that was typed is lost. */
  function complain(text) {
    var before = document.getElementById('complaint');
    var actions = root.querySelector('.actions');
    var note = element('p', { class: 'error', role: 'alert', id: 'complaint' }, text);
    if (before) before.parentNode.replaceChild(note, before);
    else actions.parentNode.insertBefore(note, actions);
  }

  function trouble(name, reference, again) {
    show(t('trouble.' + name + '.title'), [
      paragraph(t('trouble.' + name + '.text'), 'lead'),
      reference ? paragraph(t('reference', { id: reference }), 'reference') : null,
      again ? actions(button(t('again'), again, 'primary')) : null,
    ]);
  }

  function troubleOf(status, answer, again) {
    var name = status === 0 ? 'network' : rules.troubles[answer.code];
    if (!name) name = status === 429 || status === 503 ? 'busy' : status < 500 ? 'token' : 'broken';
    trouble(name, answer.requestId, name === 'network' || name === 'busy' || name === 'broken' ? again : null);
  }

  // ---- The journey ----

  function refresh() {
    ask('GET', base() + '?theme=true', null, '', function (status, answer) {
      if (isGood(status)) take(answer);
      else troubleOf(status, answer, refresh);
    });
  }

  /** The texts of the language are loaded first, so that the page is never in two languages. */
  function take(journey) {
    var language = chooseLanguage(journey.theme && journey.theme.defaultLanguage);
    page.journey = journey;
    if (language === page.language) return draw();
    load(language, draw);
  }

  function submit(body, failed) {
    var journey = page.journey;
    body.revision = journey.revision;
    post(base() + '/steps/' + encodeURIComponent(journey.step.id), body, function (status, answer) {
      if (isGood(status) || rules.behind.indexOf(answer.code) >= 0) return refresh();
      complain(t(status === 0 ? 'note.network' : status === 429 || status === 503 ? 'note.busy' : 'note.broken'));
      if (failed) failed(answer);
    });
  }

  function wait(title, text) {
    show(title, [paragraph(text, 'lead')]);
    asking = setTimeout(refresh, rules.askEveryMs);
  }

  /** Keeps the present page until another device has taken over. */
  function follow() {
    var view = root.firstChild;
    asking = setTimeout(function () {
      ask('GET', base() + '?theme=true', null, '', function (status, answer) {
        if (root.firstChild !== view) return;
        if (isGood(status) && !answer.device.active) take(answer);
        else follow();
      });
    }, rules.askEveryMs);
  }

  function draw() {
    var journey = page.journey;
    var tenant = { tenant: journey.tenantName };
    if (!journey.device.active && journey.device.handoff === 'CONFIRMING') return confirm();
    if (journey.result) return end();
    if (!journey.device.active) {
      var place = journey.device.handoff === 'CONNECTED' ? 'watching' : 'elsewhere';
      return wait(t(place + '.title'), t(place + '.text'));
    }
    if (journey.step) return window.groveSteps(tools, journey.step);
    if (journey.waitingFor === 'resume') return wait(t('paused.title'), t('paused.text', tenant));
    wait(t('waiting.title'), t('waiting.close', tenant));
  }

  function end() {
    var journey = page.journey;
    var tenant = { tenant: journey.tenantName };
    var name = 'result.' + (page.declined ? 'declined' : journey.result.outcome);
    var url = journey.result.redirectUrl;
    show(t(name + '.title'), [
      paragraph(t(name + '.text', tenant), 'lead'),
      url
        ? actions(element('a', { class: 'button primary', href: url }, t('result.return', tenant)))
        : paragraph(t('result.close')),
    ]);
  }

  /** Asks which number the other device shows, if that device has sent its user here. */
  function confirm() {
    var numbers = (page.handoff && page.handoff.numbers) || [];
    var choices = [];
    function choose(number) {
      return button(String(number), function () {
        post(base() + '/handoffs/confirm', { number: number }, function (status, answer) {
          if (isGood(status)) return take(answer);
          show(t('confirm.wrong.title'), [paragraph(t('confirm.wrong.text'), 'lead')]);
        });
      });
    }
    for (var at = 0; at < numbers.length; at++) choices.push(choose(numbers[at]));
    choices.push(
      button(t('confirm.notMe'), function () {
        post(base() + '/handoffs/deny', {}, function () {
          show(t('confirm.denied.title'), [paragraph(t('confirm.denied.text'), 'lead')]);
        });
      })
    );
    var text = t('confirm.text', { tenant: page.journey.tenantName });
    show(t('confirm.title'), [paragraph(text, 'lead'), paragraph(t('confirm.which')), actions(choices)]);
  }

  function open() {
    // Spends no code in a frame of another site: browsers as old as this keep no session there.
    if (window.parent !== window) {
      var link = element('a', { class: 'button primary', href: location.href, target: '_blank' }, [t('ownWindow.open')]);
      return show(t('ownWindow.title'), [paragraph(t('ownWindow.text'), 'lead'), actions([link])]);
    }
    // Older links have the whole start address in `ps`, and the code in its query.
    var code = parameter('c', fragment()) || parameter('c', '&' + parameter('ps', location.search).split('?').pop());
    var pt = parameter('pt', location.search);
    var tn = parameter('tn', location.search);
    page.instanceId = parameter('pi', location.search).replace(/[^0-9A-Z]/g, '');
    if (!code && !pt) return page.instanceId ? refresh() : trouble('noLink');
    var body = code ? { code: code } : tn ? { pt: pt, tn: tn } : { pt: pt };
    post('/api/journey/sessions', body, function (status, answer) {
      if (!isGood(status)) return troubleOf(status, answer, open);
      var lang = languageOf(linkLanguage());
      page.instanceId = answer.processInstanceId;
      page.handoff = answer.handoff;
      // Removes the code from the address, because it opens the journey.
      if (history.replaceState) {
        history.replaceState(null, '', '?pi=' + page.instanceId + (lang ? '&lang=' + lang : ''));
      }
      if (answer.journey) take(answer.journey);
      else refresh();
    });
  }

  function load(language, then) {
    ask('GET', '/web/plain/' + language + '.json', null, '', function (status, answer) {
      if (isGood(status)) {
        words = answer;
        page.language = language;
        document.documentElement.lang = language;
        document.documentElement.dir = rules.rightToLeft.indexOf(language) < 0 ? 'ltr' : 'rtl';
      }
      then();
    });
  }

  /** The tools that the pages of steps use. */
  var tools = {
    page: page,
    t: t,
    words: function () {
      return words;
    },
    ask: ask,
    post: post,
    base: base,
    isGood: isGood,
    element: element,
    button: button,
    paragraph: paragraph,
    actions: actions,
    show: show,
    complain: complain,
    submit: submit,
    draw: draw,
    follow: follow,
  };
  // Reloads the page for a new link: it differs from the open one in its fragment alone, so no browser would.
  window.onhashchange = function () {
    if (parameter('c', fragment())) location.reload();
  };
  page.language = '';
  load(chooseLanguage(), open);
})();
