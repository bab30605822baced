# The deployment, the analysis and retention. Models, scale and access are in
# variables_service.tf.

variable "project" {
  description = "ID of the Google Cloud project."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project))
    error_message = "project must be a project's ID (6 to 30 small letters, digits and hyphens), not its name or number."
  }
}

variable "region" {
  description = "Region of the services, buckets and the image repository, such as europe-west1."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "region must be a region such as europe-west1, neither a zone nor a multi-region."
  }
}

variable "name_prefix" {
  description = "Prefix of all names, so that one project can have several deployments."
  type        = string
  default     = "whatis"
  nullable    = false

  # 18: the service account PREFIX-upload has 25 of 30 characters, the bucket
  # PROJECT-PREFIX-uploads 57 of 63. 4: a Firestore database's ID has no fewer.
  # Names of Pub/Sub and buckets may not contain Google's reserved words.
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{2,16}[a-z0-9]$", var.name_prefix)) && !strcontains(var.name_prefix, "goog")
    error_message = "name_prefix must be 4 to 18 small letters, digits and hyphens, begin with a letter, not end with a hyphen and not contain \"goog\"."
  }
}

variable "image" {
  description = "The container image by digest: REGISTRY/NAME@sha256:…. The output repository says where to push it; before the first push create only the repository with -target=google_artifact_registry_repository.images."
  type        = string
  nullable    = false

  # A tag could be moved: two services would run different code, and an apply
  # that changes nothing would change it.
  validation {
    condition     = can(regex("^[a-z0-9][a-z0-9._/-]+@sha256:[0-9a-f]{64}$", var.image))
    error_message = "image must be named by digest, REGISTRY/NAME@sha256:<64 hex digits>, not by a tag."
  }
}

variable "learn_from_search" {
  description = "Whether products found by Google Search are saved to the catalogue, as unconfirmed. Google's terms for grounded answers restrict keeping them: you decide, so there is no default."
  type        = bool
  nullable    = false
}

variable "country" {
  description = "Country of photos that name none: two capital letters."
  type        = string
  default     = "KR"
  nullable    = false

  validation {
    condition     = can(regex("^[A-Z]{2}$", var.country))
    error_message = "country must be an ISO 3166 code of two capital letters, such as KR."
  }
}

variable "language_tag" {
  description = "Language of photos that name none, such as ko or pt-BR."
  type        = string
  default     = "ko"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$", var.language_tag))
    error_message = "language_tag must be a language, a script and a region at most, such as ko, pt-BR or zh-Hant-TW."
  }
}

variable "policy" {
  description = "How much confidence in a photo's text is enough: seed, or strict."
  type        = string
  default     = "seed"
  nullable    = false

  validation {
    condition     = contains(["seed", "strict"], var.policy)
    error_message = "policy must be seed or strict."
  }
}

variable "second_look" {
  description = "When the stronger model checks a confident reading of the small one: doubt, always or never."
  type        = string
  default     = "doubt"
  nullable    = false

  validation {
    condition     = contains(["doubt", "always", "never"], var.second_look)
    error_message = "second_look must be doubt, always or never."
  }
}

variable "read_codes" {
  description = "When barcodes are read from the photo's pixels: seen (where the model saw one), always (in the whole picture, about thirty milliseconds of CPU a photo) or never."
  type        = string
  default     = "seen"
  nullable    = false

  validation {
    condition     = contains(["seen", "always", "never"], var.read_codes)
    error_message = "read_codes must be seen, always or never."
  }
}

variable "shop" {
  description = "Name of the catalogue, as one database can have several."
  type        = string
  default     = "default"
  nullable    = false

  validation {
    condition     = trimspace(var.shop) != ""
    error_message = "shop must not be empty: leave it out, or name the catalogue."
  }
}

variable "gtin_directory" {
  description = "Address of a product directory, such as https://world.openfoodfacts.org, in which codes are looked up that the catalogue does not have. Empty disables it. Its data is under the Open Database License."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = var.gtin_directory == "" || can(regex("^https://[a-z0-9.-]+/?$", var.gtin_directory))
    error_message = "gtin_directory must be an address as https://world.openfoodfacts.org, or empty."
  }
}

variable "gtin_directory_contact" {
  description = "Contact for the product directory, which requires one: an e-mail address or an https page."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = var.gtin_directory == "" || var.gtin_directory_contact != ""
    error_message = "gtin_directory_contact must be set where gtin_directory is."
  }
}

variable "picture_buckets" {
  description = "Buckets with product pictures that the API shows and imports read. Both may then read everything in them."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for bucket in var.picture_buckets : can(regex("^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$", bucket))])
    error_message = "picture_buckets must be names of buckets, without gs://."
  }
}

variable "feed" {
  description = "A file of products on the web that is imported into shop on a schedule: its address, https://…, when (as cron writes it, in time_zone), and whether the pictures of its products are fetched. null imports none."
  type = object({
    address   = string
    schedule  = optional(string, "17 3 * * *")
    time_zone = optional(string, "Etc/UTC")
    pictures  = optional(bool, false)
  })
  default = null

  validation {
    condition     = var.feed == null || can(regex("^https://[^ ]+$", var.feed.address))
    error_message = "feed.address must be an https address, or feed be null."
  }
}

variable "results_dataset" {
  description = "A BigQuery dataset, to be made in region, whose table results gets a row for each finished photo. Rows are kept for record_days. Empty means none."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = can(regex("^([A-Za-z_][A-Za-z0-9_]*)?$", var.results_dataset))
    error_message = "results_dataset must be a dataset's ID: letters, digits and underscores."
  }
}

variable "results_webhook" {
  description = "An address, https://…, to which each finished result is posted as it is in the bucket, with an identity token of PREFIX-webhook for that address. Empty means none."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = can(regex("^(https://[^ ]+)?$", var.results_webhook))
    error_message = "results_webhook must be an https address."
  }
}

variable "data_access_logs" {
  description = "Google's APIs whose reads and writes Cloud Audit Logs keep, for the whole project: storage.googleapis.com for photos, datastore.googleapis.com for records. Each read of each photo is an entry."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for s in var.data_access_logs : can(regex("^[a-z]+[.]googleapis[.]com$", s))])
    error_message = "data_access_logs must be APIs such as storage.googleapis.com."
  }
}

variable "upload_days" {
  description = "After how many days photos are deleted from the upload bucket. 0 keeps them."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.upload_days == floor(var.upload_days) && (var.upload_days == 0 || var.upload_days >= 2)
    error_message = "upload_days must be 0, or 2 and more: a delivery may be under way for a day."
  }
}

variable "result_days" {
  description = "After how many days results are deleted from the results bucket. 0 keeps them."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.result_days == floor(var.result_days) && var.result_days >= 0
    error_message = "result_days must be 0 or a whole number of days."
  }
}

variable "record_days" {
  description = "After how many days work records with their results, batches and daily costs are deleted from Firestore."
  type        = number
  default     = 400
  nullable    = false

  validation {
    condition     = var.record_days == floor(var.record_days) && var.record_days >= 8
    error_message = "record_days must be a whole number of days, 8 or more: a message may be delivered for a week, and its record says whether its work was done."
  }
}

variable "result_cache_days" {
  description = "For how many days the same bytes get their earlier result. 0 analyses every photo again. At most record_days."
  type        = number
  default     = 30
  nullable    = false

  validation {
    condition     = var.result_cache_days == floor(var.result_cache_days) && var.result_cache_days >= 0
    error_message = "result_cache_days must be 0 or a whole number of days."
  }
}

variable "session_days" {
  description = "After how many days without a message a conversation is deleted from Firestore."
  type        = number
  default     = 7
  nullable    = false

  validation {
    condition     = var.session_days == floor(var.session_days) && var.session_days >= 1
    error_message = "session_days must be a whole number of days, 1 or more."
  }
}

variable "firestore_location" {
  description = "Location of the database: a region, nam5 or eur3. Empty means the region. It can never be changed."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = var.firestore_location == "" || contains(["nam5", "nam7", "eur3"], var.firestore_location) || can(regex("^[a-z]+-[a-z]+[0-9]+$", var.firestore_location))
    error_message = "firestore_location must be a region, nam5, nam7 or eur3, or empty for the region of the services."
  }
}

variable "backup_days" {
  description = "For how many days a daily backup of the database is kept. 0 makes none. Forgotten photos stay in backups for as long."
  type        = number
  default     = 7
  nullable    = false

  validation {
    condition     = var.backup_days == floor(var.backup_days) && var.backup_days >= 0 && var.backup_days <= 98
    error_message = "backup_days must be 0 to 98 whole days: Firestore keeps no backup for longer."
  }
}

variable "kms_key" {
  description = "Key of Cloud KMS, in the region of the services, that encrypts photos, results, messages, images, revisions and the database: projects/P/locations/L/keyRings/R/cryptoKeys/K. Empty is Google's own. For the database, the topics and the registry it cannot be changed later."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = var.kms_key == "" || can(regex("^projects/[^/]+/locations/[a-z0-9-]+/keyRings/[^/]+/cryptoKeys/[^/]+$", var.kms_key))
    error_message = "kms_key must be projects/P/locations/L/keyRings/R/cryptoKeys/K, or be empty."
  }
  validation {
    condition     = var.kms_key == "" || strcontains(var.kms_key, "/locations/${var.region}/")
    error_message = "kms_key must lie in region: what it encrypts does."
  }
  validation {
    condition     = var.kms_key == "" || contains(["", var.region], var.firestore_location)
    error_message = "kms_key encrypts a database in region alone: leave firestore_location out."
  }
}

variable "allow_data_loss" {
  description = "Set it to true and apply before terraform destroy may delete the photos, the results and the database. Otherwise destroy stops at resources with data."
  type        = bool
  default     = false
  nullable    = false
}
