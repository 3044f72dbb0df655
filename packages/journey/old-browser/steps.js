// biome-ignore-all lint: browsers that know no modules know nothing newer than ECMAScript 5 either.
// biome-ignore-all format: a comma after the last argument is newer than that.
// The pages of steps for browsers that know no modules. What they cannot do is offered to a phone or to a person.
window.groveSteps = function (tools, step) {
  'use strict';
  var t = tools.t;
  var element = tools.element;
  var button = tools.button;
  var paragraph = tools.paragraph;
  var actions = tools.actions;
  var settings = step.settings;
  var journey = tools.page.journey;
  var tenant = { tenant: journey.tenantName };
  var rules = window.groveRules;

  /** Picks a text of the tenant: one text, or one of several languages. */
  function own(text) {
    if (!text || typeof text === 'string') return text;
    if (text[tools.page.language]) return text[tools.page.language];
    if (text.en) return text.en;
    for (var first in text) return text[first];
  }

  function needs(what) {
    for (var at = 0; at < journey.needs.length; at++) if (journey.needs[at] === what) return true;
    return false;
  }

  function progress() {
    return journey.progress.total > 1 ? paragraph(t('progress', journey.progress)) : null;
  }

  // ---- Ways out ----

  function unable() {
    tools.show(t('unable.title'), [
      paragraph(t('unable.text', tenant), 'lead'),
      actions([
        button(t('unable.confirm'), function () {
          tools.submit({ unable: true });
        }, 'primary'),
        button(t('back'), tools.draw),
      ]),
    ]);
  }

  function phone() {
    tools.post(tools.base() + '/handoffs', {}, function (status, offer) {
      if (!tools.isGood(status)) return tools.complain(t('note.broken'));
      tools.show(t('handOff.title'), [
        paragraph(t('handOff.match') + ' ' + offer.number, 'lead'),
        element('p', { class: 'note' }, element('a', { href: offer.url }, offer.url)),
        actions(button(t('handOff.stay'), tools.draw))
      ]);
      tools.follow();
    });
  }

  function waysOut() {
    return [button(t('start.phone'), phone), button(t('unable'), unable)];
  }

  function cannot() {
    tools.show(t('old.cannot.title'), [paragraph(t('old.cannot.text'), 'lead'), actions(waysOut())]);
  }

  // ---- Consent ----

  function consent() {
    var terms = [];
    function term(key, text) {
      terms.push(element('li', {}, element('span', {}, [element('strong', {}, t(key)), element('small', {}, text)])));
    }
    function answer(accepted) {
      tools.page.declined = !accepted;
      tools.submit({
        result: { accepted: accepted, textVersion: settings.textVersion, language: tools.page.language, page: rules.consentPage },
      });
    }
    term('consent.purpose', own(settings.purpose) || t('consent.purpose.text', tenant));
    if (needs('document')) term('consent.document', t('consent.document.text'));
    if (needs('form')) term('consent.form', t('consent.form.text'));
    if (needs('face')) term('consent.face', t('consent.face.text'));
    term('consent.retention', t('consent.retention.text', { days: journey.retentionDays }));
    term('consent.rights', t('consent.rights.text', tenant));
    var link = { href: settings.privacyUrl, target: '_blank', rel: 'noreferrer noopener' };
    tools.show(t('consent.title'), [
      progress(),
      paragraph(t('consent.lead', tenant), 'lead'),
      element('ul', { class: 'list' }, terms),
      settings.privacyUrl ? element('p', {}, element('a', link, t('consent.privacy', tenant))) : null,
      actions([
        button(t('consent.accept'), function () {
          answer(true);
        }, 'primary'),
        button(t('consent.decline'), function () {
          tools.show(t('decline.title'), [
            paragraph(t('decline.text', tenant), 'lead'),
            actions([
              button(t('decline.back'), tools.draw, 'primary'),
              button(t('decline.confirm'), function () {
                answer(false);
              }),
            ]),
          ]);
        }),
      ]),
    ]);
  }

  // ---- Forms ----

  function labelOf(name, schema) {
    var known = tools.words().fields[name.toLowerCase().replace(/[^a-z0-9]/g, '')];
    return own(schema.title) || (known ? t('field.' + known) : name.replace(/([a-z])([A-Z])/g, '$1 $2'));
  }

  function control(name, schema, value) {
    var id = 'field-' + name;
    if (schema['enum'] || schema.type === 'array') {
      var values = schema['enum'] || (schema.items && schema.items['enum']) || [];
      var options = schema.type === 'array' ? [] : [element('option', { value: '' }, t('form.choose'))];
      for (var at = 0; at < values.length; at++) {
        var named = (schema.labels || (schema.items && schema.items.labels) || {})[values[at]];
        options.push(element('option', { value: String(at) }, own(named) || String(values[at])));
      }
      var select = element('select', { id: id, multiple: schema.type === 'array' ? '' : undefined }, options);
      if (value !== undefined && schema['enum']) select.value = String(values.indexOf(value));
      return select;
    }
    if (schema.type === 'boolean') return element('input', { id: id, type: 'checkbox', checked: value === true ? '' : undefined });
    var types = { email: 'email', date: 'date', uri: 'url', time: 'time' };
    var number = schema.type === 'number' || schema.type === 'integer';
    var type = number ? 'number' : types[schema.format] || 'text';
    return element('input', { id: id, type: type, step: number ? 'any' : undefined, value: value });
  }

  function valueOf(field, schema) {
    if (schema.type === 'boolean') return field.checked;
    if (schema.type === 'array') {
      var chosen = [];
      var values = (schema.items && schema.items['enum']) || [];
      for (var at = 0; at < field.options.length; at++) {
        if (field.options[at].selected) chosen.push(values[Number(field.options[at].value)]);
      }
      return chosen.length > 0 ? chosen : undefined;
    }
    if (field.value === '') return undefined;
    if (schema['enum']) return schema['enum'][Number(field.value)];
    if (schema.type === 'number' || schema.type === 'integer') return Number(field.value);
    return field.value;
  }

  function form() {
    var properties = settings.schema.properties || {};
    var required = settings.schema.required || [];
    var fields = [];
    for (var name in properties) {
      var schema = properties[name];
      var optional = required.indexOf(name) < 0 && schema.type !== 'boolean' ? ' (' + t('form.optional') + ')' : '';
      fields.push(
        element('div', { class: 'field', id: 'place-' + name }, [
          element('label', { 'for': 'field-' + name }, labelOf(name, schema) + optional),
          schema.description ? element('small', {}, own(schema.description)) : null,
          control(name, schema, (settings.values || {})[name]),
        ])
      );
    }
    function send(event) {
      event.preventDefault();
      var result = {};
      var old = document.querySelectorAll('.field .error');
      for (var at = 0; at < old.length; at++) old[at].parentNode.removeChild(old[at]);
      for (var each in properties) {
        var value = valueOf(document.getElementById('field-' + each), properties[each]);
        if (value !== undefined) result[each] = value;
      }
      // The server validates every value, so this page does not.
      tools.submit({ result: result }, function (answer) {
        var faults = answer.errors || [];
        for (var at = 0; at < faults.length; at++) {
          var name = faults[at].pointer.split('/')[2];
          var place = document.getElementById('place-' + name);
          if (!place || place.querySelector('.error')) continue;
          var missing = result[name] === undefined;
          place.appendChild(element('p', { class: 'error', role: 'alert' }, t(missing ? 'form.required' : 'form.invalid')));
          if (at === 0) document.getElementById('field-' + name).focus();
        }
      });
    }
    var go = element('button', { type: 'submit', class: 'button primary' }, t('continue'));
    tools.show(own(settings.title) || t('form.title'), [
      progress(),
      element('form', { novalidate: '', onsubmit: send }, fields.concat([actions([go, button(t('unable'), unable)])])),
    ]);
  }

  // ---- Photos ----

  function fault(kind) {
    if (!step.fault) return null;
    var key = 'fault.' + (tools.words().faults[kind][step.fault.reason] || (kind === 'card' ? 'otherCard' : 'otherFace'));
    return element('p', { class: 'error', role: 'alert' }, t(key) + '. ' + t(key + '.remedy'));
  }

  /** Takes the photos one after the other, and calls `done` after the last upload. */
  function photos(kind, names, titleOf, tips, done) {
    if (names.length === 0) return done();
    var name = names[0];
    var input = element('input', { id: 'photo', type: 'file', accept: rules.photoTypes });
    function send() {
      var file = input.files && input.files[0];
      if (!file) return tools.complain(t('form.required'));
      if (file.size === 0) return tools.complain(t('file.empty'));
      if (file.size > rules.maxUploadBytes) return tools.complain(t('file.tooLarge'));
      if (rules.photoTypes.split(',').indexOf(file.type) < 0) return tools.complain(t('file.wrongType'));
      tools.complain(t('upload.sending') + ' …');
      var path = tools.base() + '/steps/' + encodeURIComponent(step.id) + '/images/' + name;
      tools.ask('POST', path, file, file.type, function (status, answer) {
        if (tools.isGood(status)) return photos(kind, names.slice(1), titleOf, tips, done);
        if (answer.code === 100059) return tools.complain(t('file.unreadable'));
        tools.complain(t(status === 0 ? 'note.network' : 'note.broken'));
      });
    }
    var list = [];
    for (var at = 0; at < tips.length; at++) list.push(element('li', {}, t(tips[at])));
    tools.show(titleOf(name), [
      progress(),
      fault(kind),
      element('ul', {}, list),
      element('div', { class: 'field' }, [element('label', { 'for': 'photo' }, t('camera.file')), input]),
      actions([button(t('continue'), send, 'primary')].concat(waysOut())),
    ]);
  }

  function takeDocument(type, country) {
    var sides = rules.sides[settings.sides] || rules.sides[type] || rules.sides.other;
    function titleOf(side) {
      return t('document.' + side + '.' + type);
    }
    photos('card', sides, titleOf, ['document.tip.whole', 'document.tip.light'], function () {
      tools.submit({ result: { documentType: type, countryCode: country } });
    });
  }

  function documents() {
    if (settings.requireLiveCapture) return cannot();
    var preset = settings.preset || {};
    var type = preset.documentType || (settings.accept.length === 1 ? settings.accept[0] : '');
    var only = settings.countries;
    var country = preset.countryCode || (only && only.length === 1 ? only[0] : '');
    if (type && country) return takeDocument(type, country);
    var countries = [element('option', { value: '' }, t('choice.choose'))];
    var types = [element('option', { value: '' }, t('choice.choose'))];
    var all = tools.words().countries;
    for (var at = 0; at < all.length; at++) {
      if (!only || only.indexOf(all[at][0]) >= 0) countries.push(element('option', { value: all[at][0] }, all[at][1]));
    }
    for (var place = 0; place < settings.accept.length; place++) {
      types.push(element('option', { value: settings.accept[place] }, t('choice.' + settings.accept[place])));
    }
    var countryField = element('select', { id: 'country' }, countries);
    var typeField = element('select', { id: 'type' }, types);
    if (country) countryField.value = country;
    if (type) typeField.value = type;
    function go() {
      if (!countryField.value) return tools.complain(t('choice.country.missing'));
      if (!typeField.value) return tools.complain(t('choice.type.missing'));
      takeDocument(typeField.value, countryField.value);
    }
    tools.show(t('choice.title'), [
      progress(),
      fault('card'),
      element('div', { class: 'field' }, [element('label', { 'for': 'country' }, t('choice.country')), countryField]),
      element('div', { class: 'field' }, [element('label', { 'for': 'type' }, t('choice.type')), typeField]),
      actions([button(t('continue'), go, 'primary')].concat(waysOut())),
    ]);
  }

  function face() {
    // A file proves no liveness, so the server could only refuse it.
    if (settings.liveness !== 'none') return cannot();
    function title() {
      return t('face.title');
    }
    photos('face', ['image'], title, ['face.tip.light', 'face.tip.bare', 'face.tip.alone'], function () {
      tools.submit({ result: {} });
    });
  }

  function goOn() {
    tools.show(t('switch.title'), [
      paragraph(t('switch.text'), 'lead'),
      actions([
        button(t('switch.phone'), phone, 'primary'),
        button(t('switch.stay'), function () {
          tools.submit({ result: {} });
        }),
      ]),
    ]);
  }

  var pages = { consent: consent, form: form, document: documents, face: face, switchDevice: goOn };
  (pages[step.type] || cannot)();
};
