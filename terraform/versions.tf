# whatis on Google Cloud:
#
#   photo → uploads bucket → topic uploads → Upload ─┐
#   POST /batches → API → topic tasks → Task ────────┼→ results bucket, Firestore, topic results
#   POST /analyze → API ─────────────────────────────┘
#
# One image, three Cloud Run services. Whatever a queue cannot deliver a hundred
# times goes to its dead-letter topic, which pushes to the same service, so that
# every photo gets a result, even if that says it failed.

terraform {
  # Validations that look at several variables came with 1.9.
  required_version = ">= 1.9"

  required_providers {
    # Exactly one version stands in for a lock file, which can only be made where the
    # registry can be reached: terraform -chdir=terraform providers lock
    # -platform=linux_amd64 -platform=darwin_arm64 writes one, to be committed then.
    google = {
      source  = "hashicorp/google"
      version = "7.45.0"
    }
  }

  # The bucket is named at init: -backend-config=bucket=… -backend-config=prefix=…
  backend "gcs" {}
}

provider "google" {
  project        = var.project
  region         = var.region
  default_labels = { app = var.name_prefix }
}
