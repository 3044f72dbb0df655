import { AssuranceLevel } from '../assurance.ts';
import { IfUnchanged } from '../if-unchanged.ts';
import { del, get, group, post } from '../operation.ts';
import { likeFilter, page, pageQuery } from '../page.ts';
import { anyObject, DateTime, Duration, Empty, Id, listOf, nameText, oneOf, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { Environment } from './parameters.ts';

/** Process definitions and their tags (specification 4.11, which has only the tags; the rest is ours). */

/** The most steps that a definition may have. */
export const MAX_STEPS = 100;
/** The length of the longest condition, in characters. */
export const MAX_CONDITION_LENGTH = 2000;

const DefinitionStatus = oneOf('EDITABLE', 'DEPLOYED_ACTIVE', 'ARCHIVED');
const DefinitionType = oneOf('VERIFICATION', 'AUTHENTICATION');

/**
 * The envelope of a document. What a step may hold depends on its type; the server publishes the whole schema at
 * `/schemas/process-definition.json` and checks documents against that.
 */
export const DefinitionDocument = withTitle(
  'ProcessDefinitionDocument',
  Type.Object(
    {
      name: text(1, 50, 'Lower-case letters, digits and hyphens'),
      description: Type.Optional(text(0, 255)),
      processDefinitionType: Type.Optional(DefinitionType),
      assurance: Type.Optional(AssuranceLevel),
      fourEyes: Type.Optional(
        Type.Boolean({
          description: 'A review needs the same verdict of two different operators; API keys do not count',
        }),
      ),
      retentionDays: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 3650, description: 'How many days instances are kept; default: 30' }),
      ),
      theme: Type.Optional(text(1, 50)),
      maxDuration: Type.Optional(
        Type.String({ ...Duration, description: 'How long a whole instance may take; default: PT48H' }),
      ),
      attributes: Type.Optional(
        Type.Object(
          {
            searchable: Type.Optional(
              listOf(text(1, 100), 10, 'The parameters by which instances can be found, in addition to the applicant'),
            ),
          },
          { additionalProperties: false },
        ),
      ),
      steps: Type.Array(
        Type.Object(
          { id: text(1, 50), type: text(1, 50) },
          { title: 'ProcessDefinitionStep', additionalProperties: true },
        ),
        { minItems: 1, maxItems: MAX_STEPS },
      ),
    },
    { additionalProperties: false },
  ),
);

const definitionFields = {
  id: Id,
  tenantId: Type.String(),
  environment: Environment,
  name: Type.String(),
  version: Type.Integer(),
  status: DefinitionStatus,
  description: Type.Optional(Type.String()),
  processDefinitionType: DefinitionType,
  retentionDays: Type.Integer(),
  tags: listOf(Type.String(), 100),
  createdDtm: DateTime,
  createdBy: Type.String(),
  lastUpdatedDtm: DateTime,
  lastUpdatedBy: Type.String(),
  deployedDtm: Type.Optional(DateTime),
};

const ProcessDefinition = withTitle('ProcessDefinition', Type.Object(definitionFields));
const ProcessDefinitionWithDocument = withTitle(
  'ProcessDefinitionWithDocument',
  Type.Object({ ...definitionFields, document: anyObject('As it was sent, with every default written out') }),
);

const Validation = withTitle(
  'ProcessDefinitionValidation',
  Type.Object({
    valid: Type.Boolean(),
    faults: listOf(
      Type.Object({ pointer: Type.String({ description: 'JSON Pointer to the fault' }), message: Type.String() }),
      100,
    ),
    missingLanguages: listOf(
      Type.Object({
        pointer: Type.String({ description: 'JSON Pointer to a text of the tenant' }),
        languages: listOf(Type.String(), 50, 'Languages of the journey in which the text is missing'),
      }),
      100,
      'Texts that lack a language; the journey shows English there, or the first language. This is not a fault',
    ),
  }),
);

const ProcessDefinitionTag = withTitle(
  'ProcessDefinitionTag',
  Type.Object({
    name: text(1, 50),
    environment: Type.Optional(Environment),
    processDefinitionId: Id,
    processDefnName: Type.Optional(Type.String()),
    processDefnVersion: Type.Optional(Type.Integer()),
    createdDtm: Type.Optional(DateTime),
    createdBy: Type.Optional(Type.String()),
  }),
);

const ConditionTrial = withTitle(
  'ConditionTrial',
  Type.Object({
    condition: text(1, MAX_CONDITION_LENGTH, 'CEL, as in `when` of a step'),
    values: Type.Optional(
      anyObject(
        'What the condition sees: `{"params": {…}, "checks": {"selfie": {"passed": true}}, "data": {"documents": {…}}}`',
      ),
    ),
  }),
);
const ConditionResult = withTitle(
  'ConditionResult',
  Type.Object({
    result: Type.Optional(Type.Boolean({ description: 'Absent if the condition has a fault' })),
    faults: listOf(Type.String(), 20, 'What is wrong with the condition, or why it has no result'),
  }),
);

const TagInput = withTitle('TagInput', Type.Object({ name: nameText(1, 50, 'A unique name in the tenant') }));

export const processDefinitions = group('/api/process-manager/processDefinitions', {
  listTags: get('/tags', {
    summary: 'List the tags of process definitions',
    permission: 'ProcessManager:listProcessDefinitionTags',
    query: pageQuery({ name: likeFilter('tags whose name') }),
    ok: page(ProcessDefinitionTag),
  }),
  addTag: post('/{processDefinitionId}/tags', {
    summary: 'Put a tag on a process definition',
    description:
      'A tag is on one definition at a time; if you put it on another, it moves there. Only test keys see a tag of ' +
      'a test key, and for them it comes before the live tag of the same name.',
    permission: 'ProcessManager:addProcessDefinitionTag',
    audit: 'processDefinition.tagAdded',
    body: TagInput,
    ok: ProcessDefinitionTag,
    status: 201,
    codes: [100023, 100047, 100065],
  }),
  removeTag: del('/{processDefinitionId}/tags/{tagName}', {
    summary: 'Take a tag off a process definition',
    permission: 'ProcessManager:removeProcessDefinitionTag',
    audit: 'processDefinition.tagRemoved',
    status: 204,
    codes: [100023, 100063],
  }),
  list: get('', {
    summary: 'List process definitions',
    description:
      'Every version is an item of its own. A test key sees the versions of test keys and of live keys; a live key ' +
      'sees those of live keys.',
    permission: 'ProcessManager:listProcessDefinitions',
    query: pageQuery({
      name: likeFilter('definitions whose name'),
      status: Type.Optional(DefinitionStatus),
      environment: Type.Optional(Environment),
    }),
    ok: page(ProcessDefinition),
  }),
  get: get('/{processDefinitionId}', {
    summary: 'Get a process definition with its document',
    permission: 'ProcessManager:getProcessDefinition',
    ok: ProcessDefinitionWithDocument,
    codes: [100023],
  }),
  create: post('', {
    summary: 'Create a version of a process definition',
    description:
      'The body is the document. If the name exists, this creates its next version. The version is `EDITABLE` until' +
      ' it is deployed. A version of a test key is a test version: only test instances run it. The JSON Schema of ' +
      'documents is at `/schemas/process-definition.json`.',
    permission: 'ProcessManager:addProcessDefinition',
    audit: 'processDefinition.created',
    body: DefinitionDocument,
    ok: ProcessDefinitionWithDocument,
    status: 201,
    codes: [100048, 100065],
  }),
  validate: post('/validate', {
    summary: 'Validate a process definition without storing it',
    description: 'Checks everything that a deployment checks, including references to other objects.',
    permission: 'ProcessManager:validateProcessDefinition',
    // Not the schema of documents: it would refuse the first fault of the envelope and hide all others.
    body: anyObject('A document as `create` takes it, with any faults it may have'),
    ok: Validation,
  }),
  tryCondition: post('/conditions', {
    summary: 'Evaluate a condition with values of your own',
    description: 'No instance is read. Missing values are empty, as in a journey that has not reached them.',
    permission: 'ProcessManager:tryCondition',
    body: ConditionTrial,
    ok: ConditionResult,
  }),
  update: post('/{processDefinitionId}', {
    summary: 'Replace the document of a version that is still editable',
    permission: 'ProcessManager:updateProcessDefinition',
    audit: 'processDefinition.updated',
    query: IfUnchanged,
    body: DefinitionDocument,
    ok: ProcessDefinitionWithDocument,
    codes: [100023, 100048, 100049, 100351],
  }),
  deploy: post('/{processDefinitionId}/deploy', {
    summary: 'Deploy a version',
    description:
      'After that, process tokens can bind the version, and it never changes again. A test key deploys its own ' +
      'versions, for test instances alone.',
    permission: 'ProcessManager:deployProcessDefinition',
    audit: 'processDefinition.deployed',
    body: Empty,
    ok: ProcessDefinition,
    codes: [100023, 100048, 100049],
  }),
  archive: post('/{processDefinitionId}/archive', {
    summary: 'Archive a version',
    description:
      'No new instance can be created from it; running instances continue. A version with a tag cannot be archived.',
    permission: 'ProcessManager:archiveProcessDefinition',
    audit: 'processDefinition.archived',
    body: Empty,
    ok: ProcessDefinition,
    codes: [100023, 100049],
  }),
  delete: del('/{processDefinitionId}', {
    summary: 'Delete a version that was never deployed',
    permission: 'ProcessManager:deleteProcessDefinition',
    destructive: true,
    audit: 'processDefinition.deleted',
    status: 204,
    codes: [100023, 100049],
  }),
});
