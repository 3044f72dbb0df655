import { after, before, describe } from 'node:test';
import { testPlaces } from '../../server/test/harness.ts';
import { testDesigns } from './design-work.ts';
import { testFiles } from './file-work.ts';
import { testLists, testRoutesOfRoles } from './list-work.ts';
import { testNewcomer } from './newcomer-work.ts';
import { testObjects } from './object-work.ts';
import { type Owner, openOwner } from './owner.ts';
import { testPersons } from './person-work.ts';
import { testCases } from './picture-work.ts';

/** Tests what the design of the console requires of each screen. */
describe('a screen of the console', () => {
  const places = testPlaces();
  let owner: Owner;
  before(async () => {
    owner = await openOwner(places);
  });
  after(() => owner.close());
  const stand = () => owner;
  testNewcomer(stand);
  testFiles(stand);
  testCases(stand);
  testObjects(stand);
  testDesigns(stand);
  testPersons(stand);
  testLists(stand);
  testRoutesOfRoles(stand);
});
