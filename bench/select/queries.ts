// Queries that mean the same in XPath and CSS: select.ts refuses to run if they do not find the same elements.

export interface QueryPair {
  readonly xpath: string;
  readonly css: string;
}

const hasClass = (name: string) => `contains(concat(' ', normalize-space(@class), ' '), ' ${name} ')`;

export const QUERY_PAIRS: readonly QueryPair[] = [
  { xpath: '//h1', css: 'h1' },
  { xpath: '//a', css: 'a' },
  { xpath: '//*', css: '*' },
  { xpath: '//a[@href]', css: 'a[href]' },
  { xpath: '//table//a[@href]', css: 'table a[href]' },
  { xpath: '//div//p', css: 'div p' },
  { xpath: '//div/p', css: 'div > p' },
  { xpath: '//td/a', css: 'td > a' },
  { xpath: '//table/tbody/tr/td/a', css: 'table > tbody > tr > td > a' },
  { xpath: '/html/body/div/table/tbody/tr', css: 'html > body > div > table > tbody > tr' },
  { xpath: '//tr[td]', css: 'tr:has(> td)' },
  { xpath: '//tr[.//time]', css: 'tr:has(time)' },
  { xpath: '//tr[not(th)]', css: 'tr:not(:has(> th))' },
  { xpath: `//*[${hasClass('sealed')}]`, css: '.sealed' },
  { xpath: `//tr[${hasClass('case')} and ${hasClass('sealed')}]`, css: 'tr.case.sealed' },
  { xpath: "//a[@id='next']", css: 'a[id="next"]' },
  { xpath: "//*[@id='case-77']", css: '#case-77' },
  { xpath: "//*[@id='case-77']/td", css: '#case-77 > td' },
  { xpath: "//a[contains(@href, '.pdf')]", css: 'a[href*=".pdf"]' },
  { xpath: "//a[starts-with(@href, '/case/')]", css: 'a[href^="/case/"]' },
  { xpath: "//input[@type='hidden' or @type='text']", css: 'input[type="hidden"], input[type="text"]' },
  { xpath: '//h1 | //th | //time', css: 'h1, th, time' },
  { xpath: '//tr/td[2]', css: 'tr > td:nth-of-type(2)' },
  { xpath: '//li[1]', css: 'li:nth-of-type(1)' },
  { xpath: '//tr/td[last()]', css: 'tr > td:last-of-type' },
  { xpath: '//li[position() mod 2 = 1]', css: 'li:nth-of-type(odd)' },
  { xpath: '//p/following-sibling::p', css: 'p ~ p' },
  { xpath: '//th/following-sibling::*[1][self::th]', css: 'th + th' },
  { xpath: "//td[@class='title'][i]", css: 'td[class="title"]:has(> i)' },
];
