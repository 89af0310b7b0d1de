// Texts of the scripts in the language of the page: TEXTS has the messages, and for those that depend on a number their
// forms, with the form of each number below 200.
const filled = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
const gettext = (message, values = {}) => filled(TEXTS[message] ?? message, values);
const ngettext = (singular, plural, number, values = {}) => {
  const [forms, which] = TEXTS[singular];
  const form = forms[which[number < 200 ? number : 100 + (number % 100)]];
  return filled(form, { count: number.toLocaleString(LANGUAGE), ...values });
};

