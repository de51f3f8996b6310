"""Generated from contract/openapi.json by python/generate-contract.ts; do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, NamedTuple, Tuple, TypedDict, Union


class _OriginalSource(TypedDict):
    # Portal that published this notice.
    publisher: str
    # Format in which it was read. Known values: `eforms`, `ted-export`, `ocds`, `portal`; further values may be
    # added.
    format: str
    # BT-03: planning, competition, result …
    formType: str
    # BT-02: cn-standard, can-standard …
    noticeType: str


class OriginalSource(_OriginalSource, total=False):
    """One notice on one portal that went into this record."""

    # BT-701, or the id of the release.
    noticeId: str
    # BT-757.
    noticeVersion: str
    # Official Journal number.
    publicationNumber: str
    # When the notice was published.
    publicationDate: str
    language: str
    # A page for people.
    url: str


class Duration(TypedDict, total=False):
    """Duration as published (BT-36, BT-536, BT-537)."""

    value: float
    unit: str
    start: str
    end: str


class _Lot(TypedDict):
    # Identifier of the lot within the tender (BT-137).
    lotId: str
    # Status of the lot. `pending`: the deadline passed, nothing decided yet. Known values: `planned`, `open`,
    # `pending`, `awarded`, `cancelled`; further values may be added.
    status: str
    # CPV codes of the lot, main code first (BT-262-Lot, BT-263-Lot).
    cpvCodes: List[str]
    # BT-5071-Lot.
    nutsCodes: List[str]


class Lot(_Lot, total=False):
    """A part of the tender that can be awarded alone."""

    # BT-21-Lot, in the language of the record if it was published in it.
    title: str
    # ISO 639-1 code of the title's language, only if it is not the `language` of the record; `und` if it is unknown.
    titleLanguage: str
    # BT-24-Lot, as the title.
    description: str
    # ISO 639-1 code of the description's language, only if it is not the `language` of the record; `und` if it is
    # unknown.
    descriptionLanguage: str
    # The authority's number of the lot (BT-22-Lot).
    tenderNumber: str
    # BT-23-Lot.
    contractNature: str
    realizedLocation: "RealizedLocation"
    # Submission deadline of the lot (BT-131).
    submissionDate: str
    # Participation deadline of the lot (BT-1311).
    participationDate: str
    # Value published for the lot.
    contractAmount: "Amount"
    # Where the procurement documents can be found (BT-15).
    documentsUrl: str
    # Where to submit tenders (BT-18).
    submissionUrl: str
    duration: "Duration"
    # Why no winner was chosen (BT-144 code).
    nonAwardReason: str
    # Awarded value of the lot (BT-720).
    awardedAmount: "Amount"
    # Winners of the lot.
    winners: List["Organization"]
    # Date of the contract as published (BT-145).
    contractDate: str
    # Number of tenders received (BT-759).
    receivedTenders: int


class RealizedLocation(TypedDict, total=False):
    """Place of performance (BT-5101, BT-5071, BT-5141). Helps to assign a region when `nutsCodes` is empty; the `nuts` filter does not use it."""

    # ISO 3166-1 alpha-2 country code.
    country: str
    # NUTS code as published.
    nuts: str
    postalCode: str
    city: str


class Amount(TypedDict):
    """An amount of money, as published."""

    # Amount, excluding VAT.
    value: float
    # ISO 4217 currency code as published.
    currency: str


class _ContractAmount(TypedDict):
    # Amount, excluding VAT.
    value: float
    # ISO 4217 currency code.
    currency: str
    # `false`: published by the authority; `true`: estimated by the service.
    estimated: bool


class ContractAmount(_ContractAmount, total=False):
    """The value of the contract, published or estimated."""

    # Estimates only: the value is between `low` and `high` in four of five cases.
    low: float
    # Estimates only: see `low`.
    high: float
    # Estimates only: `high` / `low` of the interval at most 8, 20 or 50; wider ones are not given. Known values:
    # `high`, `medium`, `low`; further values may be added.
    confidence: str
    # Estimates only, for people: the words of the notice that state a value, or the similar tenders and the CPV code
    # on which it is based.
    basis: str
    # Estimates only: the model that made it. An estimate stays until its inputs change; a newer model alone changes
    # nothing.
    modelVersion: str


class _Organization(TypedDict):
    # Name (BT-500).
    name: str


class Organization(_Organization, total=False):
    """An organization with its contact, as published."""

    # National registration number (BT-501).
    nationalId: str
    street: str
    city: str
    postalCode: str
    # ISO 3166-1 alpha-2 country code.
    country: str
    # NUTS code of the seat (BT-507). An authority that publishes none has that of its postal code and town.
    nutsCode: str
    # Contact point (BT-502).
    contactName: str
    # BT-506.
    email: str
    # BT-503.
    phone: str
    # Website (BT-505).
    url: str
    # The notice says that this is a natural person (BT-633); present only if true.
    isNaturalPerson: bool


class _TenderRecord(TypedDict):
    # Fixed identifier of the tender; the key of your copy.
    id: str
    # Status of the tender. Known values: `planned`, `open`, `awardIntended`, `closed`, `awarded`, `cancelled`,
    # `merged`; further values may be added.
    status: str
    # When the service published the last change in content. Only increases.
    lastModified: str
    # When the sources of this record were last checked. Moves without `lastModified`.
    checkedAt: str
    # Title, in the language of the record if it was published in it (BT-21).
    title: str
    # Contract value; null if there is neither a published nor an estimated one.
    contractAmount: Union["ContractAmount", None]
    # CPV codes of the tender, main code first (BT-262, BT-263). Codes of lots are in `lots`.
    cpvCodes: List[str]
    # Regions of performance of the tender and its lots (BT-5071). The `nuts` filter uses them.
    nutsCodes: List[str]
    # Lots, by lotId. Empty when the tender is not divided and nothing is known of a lot.
    lots: List["Lot"]
    # The notices that went into this record, oldest first.
    originalSources: List["OriginalSource"]


class TenderRecord(_TenderRecord, total=False):
    """One tender, consolidated from all its notices. Unknown members are left out; further members may be added."""

    # Present on archived records only.
    archiveReason: Union[Literal["expired"], Literal["cancelled"], Literal["awarded"], Literal["merged"]]
    # ID of the surviving record; present exactly if archiveReason is `merged`.
    mergedInto: str
    # ISO 639-1 code of the title's language, only if it is not the `language` of the record; `und` if it is unknown.
    titleLanguage: str
    # A title that was published in capitals, as people would write it, to be shown in its place. Only for such
    # titles.
    displayTitle: str
    # BT-24, in the language of the record if it was published in it.
    description: str
    # ISO 639-1 code of the description's language, only if it is not the `language` of the record; `und` if it is
    # unknown.
    descriptionLanguage: str
    # ISO 639-1 code of the record's texts: the notice's own language (BT-702).
    language: str
    # Title and description in the other official languages, by ISO 639-1 code.
    translations: Dict[str, Any]
    # The authority's own number of the tender (BT-22).
    tenderNumber: str
    # Identifier that all notices of the procedure share (BT-04), or the OCID.
    procedureId: str
    contractingAuthority: "Organization"
    # Further buyers of a joint procurement.
    jointAuthorities: List["Organization"]
    # BT-508.
    buyerProfileUrl: str
    # Submission deadline: the latest among the lots (BT-131). Each lot has its own in `lots`. May be missing.
    submissionDate: str
    # Deadline for requests to participate or expressions of interest: the latest among the lots (BT-1311, BT-630).
    participationDate: str
    # When the newest notice of this tender was published. `published_since` uses it.
    publicationDate: str
    # When the oldest notice of this tender was published; missing if only results are known.
    firstPublicationDate: str
    # Total value of the contracts awarded (BT-161).
    awardedAmount: "Amount"
    # BT-23: works, supplies, services.
    contractNature: str
    # eForms procedure type (BT-105).
    procedureType: str
    # National procedure code as published, where it is not an eForms one.
    procedureTypeNational: str
    # BT-01.
    legalBasis: str
    realizedLocation: "RealizedLocation"
    # The tender leads to a framework agreement.
    isFramework: bool
    # The tender sets up a dynamic purchasing system.
    isDynamicPurchasingSystem: bool
    # A standing list of qualified suppliers and no call for tenders: it may be open for years, and procedures are run
    # under it.
    isQualificationSystem: bool
    # A review body suspended the procedure (BT-140 `susp-review`).
    isSuspended: bool
    # No deadline was published; the record expires 90 days after publication.
    isDeadlineUnknown: bool
    # IANA time zone of the authority, to show deadlines as people there read them. Absent where its country has
    # several zones and its region is not known: show UTC and say so. All times of the record are UTC.
    timeZone: str
    # Where the procurement documents can be found (BT-15).
    documentsUrl: str
    # Where to submit tenders (BT-18).
    submissionUrl: str


# Kinds of the members of a record, by schema: "!" ends the kind of one that is never missing.
SHAPES: Dict[str, Dict[str, str]] = {
    "TenderRecord": {
        "id": "string!",
        "status": "string!",
        "archiveReason": "string",
        "mergedInto": "string",
        "lastModified": "time!",
        "checkedAt": "time!",
        "title": "string!",
        "titleLanguage": "string",
        "displayTitle": "string",
        "description": "string",
        "descriptionLanguage": "string",
        "language": "string",
        "translations": "object",
        "tenderNumber": "string",
        "procedureId": "string",
        "contractingAuthority": "Organization",
        "jointAuthorities": "Organization[]",
        "buyerProfileUrl": "string",
        "submissionDate": "time",
        "participationDate": "time",
        "publicationDate": "time",
        "firstPublicationDate": "time",
        "contractAmount": "ContractAmount|null!",
        "awardedAmount": "Amount",
        "contractNature": "string",
        "procedureType": "string",
        "procedureTypeNational": "string",
        "legalBasis": "string",
        "cpvCodes": "string[]!",
        "nutsCodes": "string[]!",
        "realizedLocation": "RealizedLocation",
        "isFramework": "boolean",
        "isDynamicPurchasingSystem": "boolean",
        "isQualificationSystem": "boolean",
        "isSuspended": "boolean",
        "isDeadlineUnknown": "boolean",
        "timeZone": "string",
        "documentsUrl": "string",
        "submissionUrl": "string",
        "lots": "Lot[]!",
        "originalSources": "OriginalSource[]!",
    },
    "Organization": {
        "name": "string!",
        "nationalId": "string",
        "street": "string",
        "city": "string",
        "postalCode": "string",
        "country": "string",
        "nutsCode": "string",
        "contactName": "string",
        "email": "string",
        "phone": "string",
        "url": "string",
        "isNaturalPerson": "boolean",
    },
    "ContractAmount": {
        "value": "number!",
        "currency": "string!",
        "estimated": "boolean!",
        "low": "number",
        "high": "number",
        "confidence": "string",
        "basis": "string",
        "modelVersion": "string",
    },
    "Amount": {
        "value": "number!",
        "currency": "string!",
    },
    "RealizedLocation": {
        "country": "string",
        "nuts": "string",
        "postalCode": "string",
        "city": "string",
    },
    "Lot": {
        "lotId": "string!",
        "status": "string!",
        "title": "string",
        "titleLanguage": "string",
        "description": "string",
        "descriptionLanguage": "string",
        "tenderNumber": "string",
        "contractNature": "string",
        "cpvCodes": "string[]!",
        "nutsCodes": "string[]!",
        "realizedLocation": "RealizedLocation",
        "submissionDate": "time",
        "participationDate": "time",
        "contractAmount": "Amount",
        "documentsUrl": "string",
        "submissionUrl": "string",
        "duration": "Duration",
        "nonAwardReason": "string",
        "awardedAmount": "Amount",
        "winners": "Organization[]",
        "contractDate": "string",
        "receivedTenders": "number",
    },
    "Duration": {
        "value": "number",
        "unit": "string",
        "start": "string",
        "end": "string",
    },
    "OriginalSource": {
        "publisher": "string!",
        "format": "string!",
        "noticeId": "string",
        "noticeVersion": "string",
        "publicationNumber": "string",
        "formType": "string!",
        "noticeType": "string!",
        "publicationDate": "time",
        "language": "string",
        "url": "string",
    },
}

# Filters of a copy, and those that take several values.
FILTERS = ("cpv", "nuts", "published_since", "deadline_after", "value_min", "value_max", "procedure",)
LIST_FILTERS = ("cpv", "nuts", "procedure",)


class Column(NamedTuple):
    """A column of a table of tenders: the first of its paths that exists counts."""

    name: str
    type: str
    paths: Tuple[str, ...]
    list: str


COLUMNS: Tuple[Column, ...] = (
    # Fixed identifier of the tender
    Column("id", "uuid", ("id",), ""),
    # When the service published the last change in content; only increases
    Column("last_modified", "instant", ("lastModified",), ""),
    # planned, open, awardIntended, closed, awarded, cancelled, merged, lost; more may be added
    Column("status", "text", ("status",), ""),
    # expired, cancelled, awarded, merged, lost (no longer in the stock); null while the tender is not archived
    Column("archive_reason", "text", ("archiveReason",), ""),
    # The surviving tender if archive_reason is merged
    Column("merged_into", "uuid", ("mergedInto",), ""),
    # Title in the language of the record
    Column("title", "text", ("title",), ""),
    # Description in the language of the record
    Column("description", "text", ("description",), ""),
    # ISO 639-1 code of the texts
    Column("language", "text", ("language",), ""),
    # The authority's own number
    Column("tender_number", "text", ("tenderNumber",), ""),
    # Identifier shared by all notices of the procedure
    Column("procedure_id", "text", ("procedureId",), ""),
    # Name of the contracting authority
    Column("contracting_authority_name", "text", ("contractingAuthority.name",), ""),
    # National registration number of the authority
    Column("contracting_authority_id", "text", ("contractingAuthority.nationalId",), ""),
    # Address of the authority
    Column("contracting_authority_street", "text", ("contractingAuthority.street",), ""),
    # Address of the authority
    Column("contracting_authority_postal_code", "text", ("contractingAuthority.postalCode",), ""),
    # Address of the authority
    Column("contracting_authority_city", "text", ("contractingAuthority.city",), ""),
    # ISO 3166-1 alpha-2
    Column("contracting_authority_country", "text", ("contractingAuthority.country",), ""),
    # NUTS code of the seat
    Column("contracting_authority_nuts_code", "text", ("contractingAuthority.nutsCode",), ""),
    # Contact point
    Column("contracting_authority_contact_name", "text", ("contractingAuthority.contactName",), ""),
    # Contact of the authority
    Column("contracting_authority_email", "text", ("contractingAuthority.email",), ""),
    # Contact of the authority
    Column("contracting_authority_phone", "text", ("contractingAuthority.phone",), ""),
    # Website of the authority
    Column("contracting_authority_url", "text", ("contractingAuthority.url",), ""),
    # Profile of the buyer
    Column("buyer_profile_url", "text", ("buyerProfileUrl",), ""),
    # Submission deadline; null when none was published
    Column("submission_date", "instant", ("submissionDate",), ""),
    # Deadline for requests to participate
    Column("participation_date", "instant", ("participationDate",), ""),
    # When the newest notice was published
    Column("publication_date", "instant", ("publicationDate",), ""),
    # When the oldest notice was published; null if it is unknown
    Column("first_publication_date", "instant", ("firstPublicationDate",), ""),
    # Contract value without VAT, in contract_currency
    Column("contract_value", "number", ("contractAmount.value",), ""),
    # ISO 4217
    Column("contract_currency", "text", ("contractAmount.currency",), ""),
    # True: estimated by the service, not published
    Column("contract_estimated", "boolean", ("contractAmount.estimated",), ""),
    # Total of the contracts awarded, in awarded_currency
    Column("awarded_value", "number", ("awardedAmount.value",), ""),
    # ISO 4217
    Column("awarded_currency", "text", ("awardedAmount.currency",), ""),
    # works, supplies, services
    Column("contract_nature", "text", ("contractNature",), ""),
    # eForms procedure type: open, restricted, neg-w-call …
    Column("procedure_type", "text", ("procedureType",), ""),
    # National code where it is not an eForms one
    Column("procedure_type_national", "text", ("procedureTypeNational",), ""),
    # Legal basis (BT-01)
    Column("legal_basis", "text", ("legalBasis",), ""),
    # First CPV code of the tender
    Column("main_cpv", "text", ("cpvCodes.0",), ""),
    # CPV codes of the tender, separated by spaces; with those of the lots in tender_cpv
    Column("cpv_codes", "text", ("cpvCodes",), "codes"),
    # NUTS codes of the tender and its lots, separated by spaces; one per row in tender_nuts
    Column("nuts_codes", "text", ("nutsCodes",), "codes"),
    # First NUTS code, else that of the place of performance; all of them are in tender_nuts
    Column("region", "text", ("nutsCodes.0", "realizedLocation.nuts",), ""),
    # Country of the place of performance, else the authority's
    Column("realized_country", "text", ("realizedLocation.country", "contractingAuthority.country",), ""),
    # Postal code of the place of performance
    Column("realized_postal_code", "text", ("realizedLocation.postalCode",), ""),
    # Place of performance
    Column("realized_city", "text", ("realizedLocation.city",), ""),
    # Leads to a framework agreement
    Column("is_framework", "boolean", ("isFramework",), ""),
    # Sets up a dynamic purchasing system
    Column("is_dynamic_purchasing_system", "boolean", ("isDynamicPurchasingSystem",), ""),
    # A review body suspended the procedure
    Column("is_suspended", "boolean", ("isSuspended",), ""),
    # No deadline was published
    Column("is_deadline_unknown", "boolean", ("isDeadlineUnknown",), ""),
    # Where the procurement documents are
    Column("documents_url", "text", ("documentsUrl",), ""),
    # Where to submit tenders
    Column("submission_url", "text", ("submissionUrl",), ""),
    # Number of lots; they are in tender_lot
    Column("lot_count", "integer", ("lots",), "count"),
    # Number of notices that went into the record
    Column("source_count", "integer", ("originalSources",), "count"),
    # Portal of the newest notice
    Column("publisher", "text", ("originalSources.-1.publisher",), ""),
    # Official Journal number of the newest notice
    Column("publication_number", "text", ("originalSources.-1.publicationNumber",), ""),
    # Page of the newest notice
    Column("source_url", "text", ("originalSources.-1.url",), ""),
    # A standing list of suppliers, not a call for tenders
    Column("is_qualification_system", "boolean", ("isQualificationSystem",), ""),
    # IANA time zone of the authority's country; all times are UTC
    Column("time_zone", "text", ("timeZone",), ""),
    # A title published in capitals, as people would write it; otherwise null
    Column("display_title", "text", ("displayTitle",), ""),
    # Language of the title; null if it is that of the record
    Column("title_language", "text", ("titleLanguage",), ""),
    # Language of the description; null if it is that of the record
    Column("description_language", "text", ("descriptionLanguage",), ""),
    # The notice says that this is a natural person (BT-633); present only if true
    Column("contracting_authority_is_natural_person", "boolean", ("contractingAuthority.isNaturalPerson",), ""),
)
