import { anyObject, stringMap, Type, text } from '@grove/contract';
import { objectOf } from '../expressions/shapes.ts';
import { localText } from './local-text.ts';
import type { StepType } from './step-type.ts';

const MAX_VARIABLES = 50;

export const customPage: StepType = {
  type: 'customPage',
  repeatable: true,
  about: 'Shows a custom page of the tenant and stores what it sends.',
  kind: 'user',
  keeps: { in: 'forms', defaultKey: 'page1', shape: () => objectOf({}, { open: true }) },
  settings: {
    page: text(1, 100, 'The name of the custom page'),
    title: Type.Optional(localText(100, 'The heading above the page')),
    constants: Type.Optional({ ...stringMap(MAX_VARIABLES, 1000), description: 'Values that the page receives' }),
  },
  texts: ({ title }) => [{ pointer: '/title', text: title }],
  references: ({ page }) => [{ kind: 'page', name: page as string, pointer: '/page' }],
  byAnswer: true,
  user: {
    needs: 'form',
    seconds: 40,
    correctable: true,
    result: () => ({ ...stringMap(MAX_VARIABLES, 1000), type: 'object' }),
    show: ({ page, title, constants }) => ({ page, constants: constants ?? {}, ...(title !== undefined && { title }) }),
    take: (step, { result }) => ({ outcome: 'PASSED', data: { forms: { [step.key as string]: result } } }),
  },
};

export const switchDevice: StepType = {
  type: 'switchDevice',
  repeatable: true,
  about: 'Offers to continue on a phone; the end user may decline.',
  kind: 'user',
  settings: {},
  byAnswer: true,
  user: {
    seconds: 30,
    result: () => anyObject('Nothing'),
    show: () => ({}),
    take: () => ({ outcome: 'PASSED' }),
  },
};
