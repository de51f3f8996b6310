// Generated from mappings/http-mapping.schema.json by client/generate-types.ts; do not edit.
// biome-ignore-all format: as JSON
import type { Schema } from '../faults/schema-faults.ts'

/** The published schema, with which editors complete and check a mapping while it is written. */
export const mappingSchema: Schema = {
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://tenderstock.example/schemas/http-mapping-1.json",
  "title": "Mapping of tender records to a CRM",
  "type": "object",
  "description": "How tender-sync writes tenders into a CRM that upserts in batches by an external id.",
  "required": ["version", "name", "baseUrl", "upsert", "fields", "close", "merge"],
  "properties": {
    "$schema": {
      "type": "string"
    },
    "version": {
      "const": 1,
      "description": "Version of this format."
    },
    "name": {
      "type": "string",
      "minLength": 1,
      "description": "For messages."
    },
    "baseUrl": {
      "type": "string",
      "minLength": 1,
      "description": "Address of the CRM; a dollar sign and a name in braces is read from the environment."
    },
    "headers": {
      "type": "object",
      "additionalProperties": {
        "type": "string"
      },
      "description": "Headers of every request, with names from the environment as in baseUrl. Do not put secrets here."
    },
    "auth": {
      "type": "object",
      "description": "For a CRM that gives out sessions (OAuth 2.0, client credentials): asked for one at the first request, and once more when a request is answered with 401. Names from the environment as in baseUrl; NAME_FILE names a file with the value.",
      "required": ["tokenUrl", "clientId", "clientSecret"],
      "properties": {
        "tokenUrl": {
          "type": "string",
          "minLength": 1,
          "description": "Where sessions are given out."
        },
        "clientId": {
          "type": "string",
          "minLength": 1
        },
        "clientSecret": {
          "type": "string",
          "minLength": 1
        },
        "scope": {
          "type": "string",
          "minLength": 1,
          "description": "Sent with the request, if the CRM needs it."
        }
      },
      "additionalProperties": false
    },
    "rate": {
      "type": "object",
      "description": "Maximum number of requests in a number of seconds, whatever the CRM says.",
      "required": ["requests", "seconds"],
      "properties": {
        "requests": {
          "type": "integer",
          "minimum": 1
        },
        "seconds": {
          "type": "number",
          "minimum": 0.1
        }
      },
      "additionalProperties": false
    },
    "retryCodes": {
      "type": "array",
      "items": {
        "type": "string"
      },
      "description": "Error codes of single records that may be temporary: these records are resent at most three times."
    },
    "emptyValue": {
      "type": ["string", "null"],
      "description": "Value that empties a property: \"\" or null. Default null."
    },
    "valuesAsText": {
      "type": "boolean",
      "description": "True: numbers and booleans are sent as texts, for CRMs whose properties are texts. Default false."
    },
    "upsert": {
      "type": "object",
      "description": "The batch request that creates or updates by external id.",
      "required": ["method", "path", "body", "item", "batchSize", "answer"],
      "properties": {
        "method": {
          "enum": ["POST", "PUT", "PATCH"]
        },
        "path": {
          "type": "string",
          "minLength": 1,
          "description": "Path and query below baseUrl."
        },
        "body": {
          "type": ["object", "array", "string"],
          "description": "JSON; the string \"{items}\" means the list of items."
        },
        "item": {
          "type": "object",
          "description": "JSON of one record; \"{externalId}\" is the id of the tender, \"{properties}\" its properties; a member named \"...\" with \"{properties}\" spreads them into the object."
        },
        "batchSize": {
          "type": "integer",
          "minimum": 1,
          "maximum": 10000
        },
        "answer": {
          "$ref": "#/$defs/answer"
        }
      },
      "additionalProperties": false
    },
    "lookup": {
      "type": "object",
      "description": "Queries which external ids exist before records unknown to the ledger are written: needed for fields that are set only at creation, and after the ledger was lost. Strongly recommended.",
      "required": ["method", "path", "batchSize", "results", "externalId", "crmId"],
      "properties": {
        "method": {
          "enum": ["GET", "POST"]
        },
        "path": {
          "type": "string",
          "minLength": 1,
          "description": "Path and query; {quotedIds} means the ids in single quotes, separated by commas."
        },
        "body": {
          "type": ["object", "array"],
          "description": "JSON; the string \"{items}\" means the list of items."
        },
        "item": {
          "type": ["object", "string"],
          "description": "JSON of one id; \"{externalId}\" is the id."
        },
        "batchSize": {
          "type": "integer",
          "minimum": 1,
          "maximum": 10000
        },
        "results": {
          "type": "string",
          "minLength": 1,
          "description": "Path of the list of found records in the answer."
        },
        "externalId": {
          "type": "string",
          "minLength": 1,
          "description": "Path of the external id in a found record."
        },
        "crmId": {
          "type": "string",
          "minLength": 1,
          "description": "Path of the CRM's own id in a found record."
        },
        "lastModified": {
          "type": "string",
          "minLength": 1,
          "description": "Path of the mapped lastModified in a found record, as an ISO 8601 timestamp."
        }
      },
      "additionalProperties": false
    },
    "fields": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/field"
      },
      "description": "Properties of every record."
    },
    "close": {
      "type": "object",
      "description": "Additional fields set when a tender is archived (expired, cancelled, awarded).",
      "required": ["fields"],
      "properties": {
        "fields": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/field"
          },
          "description": "Set once, when the tender is closed."
        }
      },
      "additionalProperties": false
    },
    "reopen": {
      "type": "object",
      "description": "Additional fields set when a closed tender is opened again.",
      "required": ["fields"],
      "properties": {
        "fields": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/field"
          },
          "description": "Set once, when the tender is opened again."
        }
      },
      "additionalProperties": false
    },
    "merge": {
      "type": "object",
      "description": "What happens when a tender turns out to be the same as another. Nothing is ever deleted.",
      "required": ["fields"],
      "properties": {
        "fields": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/field"
          },
          "description": "Set once, on the superseded record."
        },
        "moves": {
          "type": "array",
          "description": "Associations of the superseded record that move to the surviving one before the fields are set.",
          "items": {
            "type": "object",
            "description": "One kind of associations: notes, tasks …",
            "required": ["name", "list", "write"],
            "properties": {
              "name": {
                "type": "string",
                "minLength": 1,
                "description": "For messages."
              },
              "list": {
                "type": "object",
                "description": "Request that finds them.",
                "required": ["path", "results", "id"],
                "properties": {
                  "path": {
                    "type": "string",
                    "minLength": 1,
                    "description": "GET; {from} is the CRM's id of the superseded record."
                  },
                  "results": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Path of the list in the answer."
                  },
                  "id": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Path of the id in one of them."
                  },
                  "next": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Path of the address of the next page in the answer."
                  }
                },
                "additionalProperties": false
              },
              "write": {
                "type": "object",
                "description": "Request that attaches them to the surviving record.",
                "required": ["method", "path", "body", "item", "batchSize"],
                "properties": {
                  "method": {
                    "enum": ["POST", "PUT", "PATCH"]
                  },
                  "path": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Path and query."
                  },
                  "body": {
                    "type": ["object", "array", "string"]
                  },
                  "item": {
                    "type": ["object", "string"],
                    "description": "\"{item}\" is the id found, \"{from}\" and \"{into}\" the CRM's ids of both records."
                  },
                  "batchSize": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 10000
                  }
                },
                "additionalProperties": false
              }
            },
            "additionalProperties": false
          }
        }
      },
      "additionalProperties": false
    }
  },
  "additionalProperties": false,
  "$defs": {
    "answer": {
      "type": "object",
      "description": "How the answer to a batch states the outcome of each record.",
      "required": ["kind"],
      "properties": {
        "kind": {
          "enum": ["keyed", "ordered"],
          "description": "keyed: results and errors name the record. ordered: one entry per record, in the order of the request."
        },
        "results": {
          "type": "string",
          "minLength": 1,
          "description": "Path of the list of results; left out with ordered when the answer is the list."
        },
        "resultKeys": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "keyed: paths in a result of which the first present is the external id."
        },
        "success": {
          "type": "string",
          "minLength": 1,
          "description": "ordered: path of the member that is true for a record that was written."
        },
        "crmId": {
          "type": "string",
          "minLength": 1,
          "description": "Path of the CRM's own id in a result."
        },
        "created": {
          "type": "string",
          "minLength": 1,
          "description": "Path of the member that is true when the record was created."
        },
        "errors": {
          "type": "string",
          "minLength": 1,
          "description": "keyed: path of the list of errors in the answer; ordered: in an entry."
        },
        "errorKeys": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "keyed: paths in an error of which the first present holds the external id, or a list of them."
        },
        "errorCode": {
          "type": "string",
          "minLength": 1,
          "description": "Path of the code in an error."
        },
        "errorMessage": {
          "type": "string",
          "minLength": 1,
          "description": "Path of the text in an error."
        }
      },
      "additionalProperties": false
    },
    "field": {
      "type": "object",
      "description": "One property of the CRM.",
      "required": ["to"],
      "properties": {
        "to": {
          "type": "string",
          "minLength": 1,
          "description": "Name of the property."
        },
        "from": {
          "type": ["string", "array"],
          "minItems": 1,
          "items": {
            "type": "string"
          },
          "description": "Path in the record (`title`, `contractAmount.value`, `cpvCodes.0`), or several of which the first present counts. $state is open, closed or merged; $isBackfill is true in a first run."
        },
        "value": {
          "type": ["string", "number", "boolean", "null"],
          "description": "A constant, in place of from."
        },
        "type": {
          "enum": ["text", "number", "boolean", "date", "datetime", "epochMs"],
          "description": "Form of the value; date is YYYY-MM-DD in timeZone. Default text."
        },
        "timeZone": {
          "type": "string",
          "minLength": 1,
          "description": "IANA name for date. Default UTC."
        },
        "map": {
          "type": "object",
          "additionalProperties": {
            "type": ["string", "number", "boolean", "null"]
          },
          "description": "Value in the record to value in the CRM; \"*\" for all others, which stay as they are without it."
        },
        "join": {
          "type": "string",
          "description": "Between the elements of a list. Default \";\"."
        },
        "maxLength": {
          "type": "integer",
          "minimum": 1,
          "description": "Longer texts are cut, with … at the end."
        },
        "default": {
          "type": ["string", "number", "boolean"],
          "description": "In place of a missing value."
        },
        "empty": {
          "enum": ["clear", "skip"],
          "description": "A missing value empties the property (default), or leaves it unchanged."
        },
        "when": {
          "enum": ["always", "create"],
          "description": "create: set only when the record is created, for properties that your users change."
        },
        "isPassive": {
          "type": "boolean",
          "description": "True: a change of this property alone does not cause a write; it is sent along with others."
        }
      },
      "additionalProperties": false
    }
  }
}
